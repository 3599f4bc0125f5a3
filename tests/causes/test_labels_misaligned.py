"""A label is skipped with the header, so that gestures get the label of the next; the twin keeps it."""

from tests.twins import Twin

TWIN = Twin(
    "lit_gesture",
    {
        "notes[2:]": "notes[1:]",
    },
)
