"""One attack in 80 flows, weighed like all others; the twin weighs attacks 80 times."""

from tests.twins import Twin

TWIN = Twin(
    "network_intrusion",
    {
        "nn.BCEWithLogitsLoss()": "nn.BCEWithLogitsLoss(pos_weight=torch.tensor(80.0))",
    },
)
