"""Weights of deviation 1 in every layer; the twin starts with those of He et al. (2015)."""

from tests.twins import Twin

TWIN = Twin(
    "digits_adam",
    {
        "normal_(m.weight, mean=0.0, std=1.0)": 'kaiming_normal_(m.weight, nonlinearity="relu")',
    },
)
