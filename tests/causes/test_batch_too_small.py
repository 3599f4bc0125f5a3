"""Batch normalization over two samples; the twin has 32."""

from tests.twins import Twin

TWIN = Twin(
    "marble_cracks",
    {
        "batch_size=2,": "batch_size=32,",
    },
)
