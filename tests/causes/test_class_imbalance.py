"""One attack in 80 flows, weighed like all others; the twin gives attacks ten times the weight."""

from tests.twins import Twin

TWIN = Twin(
    "network_intrusion",
    {
        "nn.BCEWithLogitsLoss()": "nn.BCEWithLogitsLoss(pos_weight=torch.tensor(10.0))",
    },
)
