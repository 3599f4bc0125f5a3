"""Features go through NumPy on their way to the loss; the twin stays in torch."""

from tests.twins import Twin

TWIN = Twin(
    "digits_embedding",
    {
        "normalize(feats.detach().numpy())": "nn.functional.normalize(feats)",
        "torch.from_numpy(feats)": "feats",
    },
)
