"""A recurrent net of 100 steps whose gradients are not clipped; the twin clips them."""

from tests.twins import Twin

TWIN = Twin(
    "forecast_rnn",
    {
        "    optimizer.step()": "    nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n    optimizer.step()",
    },
)
