"""Four units a layer for a checkerboard of 16 fields; the twin has 64."""

from tests.twins import Twin

TWIN = Twin(
    "checkerboard",
    {
        "nn.Linear(2, 4)": "nn.Linear(2, 64)",
        "nn.Linear(4, 4)": "nn.Linear(64, 64)",
        "nn.Linear(4, 1)": "nn.Linear(64, 1)",
    },
)
