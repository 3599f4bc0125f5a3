"""Prices in dollars; the twin standardizes them."""

from tests.twins import Twin

TWIN = Twin(
    "kings_county",
    {
        "torch.tensor(price, dtype": "torch.tensor((price - price.mean()) / price.std(), dtype",
    },
)
