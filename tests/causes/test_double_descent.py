"""Weak features are learned long after strong ones: validation improves twice. The twin scales both alike."""

from tests.twins import Twin

TWIN = Twin(
    "nir_spectra",
    {
        "[strong, fine]": "[strong, 10 * fine]",
    },
)
