"""A softmax at a temperature of 0.01; the twin's is 1."""

from tests.twins import Twin

TWIN = Twin(
    "glyph_scores",
    {
        "temperature: float = 0.01": "temperature: float = 1.0",
    },
    rival="lr-too-high",
)
