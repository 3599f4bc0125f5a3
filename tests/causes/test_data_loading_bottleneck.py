"""Scans are parsed anew in every epoch; the twin keeps them in memory."""

from tests.twins import Twin

TWIN = Twin(
    "leaf_scans",
    {
        "DataLoader(LeafScans(1200, 1, augment=True)": "DataLoader(list(LeafScans(1200, 1, augment=True))",
    },
)
