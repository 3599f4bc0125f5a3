"""One vote a picture, by volunteers of whom some guess; the twin has the true labels."""

from tests.twins import Twin

TWIN = Twin(
    "rater_digits",
    {
        "portal_votes(digits.target, SEED)": "digits.target",
    },
)
