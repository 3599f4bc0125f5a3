"""Two epochs; the twin has 15."""

from tests.twins import Twin

TWIN = Twin(
    "lit_peptides",
    {
        "max_epochs=2": "max_epochs=15",
    },
)
