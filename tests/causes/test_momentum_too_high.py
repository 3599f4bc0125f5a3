"""A momentum of 0.998; the twin has 0.9."""

from tests.twins import Twin

TWIN = Twin(
    "energy_regression",
    {
        "momentum=0.998": "momentum=0.9",
    },
)
