"""All but the classifier is frozen, and nothing was pretrained; the twin trains all."""

from tests.twins import Twin

TWIN = Twin(
    "digits_transfer_lit",
    {
        'name.startswith("classifier")': "True",
    },
)
