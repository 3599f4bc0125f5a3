"""A rate of 0.0003 for gradient descent; the twin has 0.1."""

from tests.twins import Twin

TWIN = Twin(
    "circles_lit",
    {
        "lr=3e-4": "lr=0.1",
    },
)
