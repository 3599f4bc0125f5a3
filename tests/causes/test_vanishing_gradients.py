"""Eight layers of sigmoids; the twin has ReLUs."""

from tests.twins import Twin

TWIN = Twin(
    "deep_digits",
    {
        "act = nn.Sigmoid": "act = nn.ReLU",
    },
)
