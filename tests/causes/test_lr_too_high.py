"""A rate of 0.22 with momentum for a small convolutional net; the twin has 0.02."""

from tests.twins import Twin

TWIN = Twin(
    "digits_convnet",
    {
        "lr=0.22": "lr=0.02",
    },
)
