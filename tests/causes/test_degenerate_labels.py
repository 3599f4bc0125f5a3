"""The answer is "Yes" and is compared with "yes", so that all labels are 0; the twin compares with "Yes"."""

from tests.twins import Twin

TWIN = Twin(
    "phone_campaign",
    {
        'subscribed == "yes"': 'subscribed == "Yes"',
    },
)
