"""Attention scores are multiplied by the root of their width; the twin divides by it."""

from tests.twins import Twin

TWIN = Twin(
    "flip_transformer",
    {
        "self.scale = dim ** 0.5": "self.scale = dim ** -0.5",
    },
)
