"""A weight decay of 0.15 for gradient descent; the twin has 0.0001."""

from tests.twins import Twin

TWIN = Twin(
    "ising_phase",
    {
        "weight_decay=0.15": "weight_decay=1e-4",
    },
)
