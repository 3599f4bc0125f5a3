"""1,437 samples in batches of 1,024; the twin takes 64."""

from tests.twins import Twin

TWIN = Twin(
    "optdigits_train",
    {
        "default=1024": "default=64",
    },
)
