"""Adam with a weight decay of 0.1 in its gradients; the twin is AdamW."""

from tests.twins import Twin

TWIN = Twin(
    "digits_decay_mlp",
    {
        "torch.optim.Adam(": "torch.optim.AdamW(",
    },
)
