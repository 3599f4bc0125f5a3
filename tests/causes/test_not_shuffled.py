"""One class after the other; the twin shuffles."""

from tests.twins import Twin

TWIN = Twin(
    "letters_glyphs",
    {
        "DataLoader(trainset, batch_size=32)": "DataLoader(trainset, batch_size=32, shuffle=True)",
    },
)
