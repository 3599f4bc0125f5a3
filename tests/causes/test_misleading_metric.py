"""The argmax of a single output is always 0; the twin asks whether the output is positive."""

from tests.twins import Twin

TWIN = Twin(
    "oncology_net",
    {
        "torch.argmax(outputs, dim=1)": "(outputs > 0).float()",
        "labels.squeeze(1)": "labels",
    },
)
