"""Gates of slope 60; the twin's have slope 1."""

from tests.twins import Twin

TWIN = Twin(
    "gated_wine",
    {
        "slope=60.0": "slope=1.0",
    },
)
