"""Twelve lines of text to learn from; the twin has 240."""

from tests.twins import Twin

TWIN = Twin(
    "poem_char_rnn",
    {
        "poem(12, 4)": "poem(240, 4)",
    },
)
