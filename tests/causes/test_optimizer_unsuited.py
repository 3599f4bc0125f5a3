"""Rprop, which needs whole-batch gradients, on batches of 32; the twin uses Adam."""

from tests.twins import Twin

TWIN = Twin(
    "cipher_gru",
    {
        "torch.optim.Rprop(model.parameters(), lr=1e-3)": "torch.optim.Adam(model.parameters(), lr=3e-3)",
    },
)
