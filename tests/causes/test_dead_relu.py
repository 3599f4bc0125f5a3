"""Biases of -4 before every ReLU; the twin starts with 0."""

from tests.twins import Twin

TWIN = Twin(
    "blobs_mlp",
    {
        "nn.init.constant_(m.bias, -4.0)": "nn.init.zeros_(m.bias)",
    },
)
