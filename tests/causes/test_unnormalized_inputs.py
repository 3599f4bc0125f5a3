"""Square metres beside numbers of bathrooms; the twin standardizes columns."""

from tests.twins import Twin

TWIN = Twin(
    "iowa_houses",
    {
        "X = torch.tensor(X, dtype": "X = torch.tensor((X - X.mean(0)) / X.std(0), dtype",
    },
)
