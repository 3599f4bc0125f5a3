"""Headlines are lowered for training and not for validation; the twin lowers both."""

from tests.twins import Twin

TWIN = Twin(
    "news_bert",
    {
        "Headlines(va_x, va_y, tok)": "Headlines(va_x, va_y, tok, lower=True)",
    },
)
