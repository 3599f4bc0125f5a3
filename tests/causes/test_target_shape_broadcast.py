"""Predictions of shape (n, 1) against targets of shape (n,); the twin squeezes them."""

from tests.twins import Twin

TWIN = Twin(
    "pressure_drop",
    {
        "mse_loss(self.model(x), y)": "mse_loss(self.model(x).squeeze(1), y)",
        "p = self.model(x)\n": "p = self.model(x).squeeze(1)\n",
    },
)
