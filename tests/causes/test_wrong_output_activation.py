"""A sigmoid on a prediction that has no bounds; the twin has none."""

from tests.twins import Twin

TWIN = Twin(
    "bike_demand",
    {
        "torch.sigmoid(self.out(self.trunk(x))).squeeze(1)": "self.out(self.trunk(x)).squeeze(1)",
    },
)
