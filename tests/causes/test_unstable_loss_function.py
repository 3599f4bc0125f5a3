"""The logarithm of a sigmoid that rounds to 0; the twin has the loss that takes logits."""

from tests.twins import Twin

TWIN = Twin(
    "cell_segmentation_lit",
    {
        "torch.sigmoid(self.net(x))": "self.net(x)",
        "-(t * torch.log(p) + (1 - t) * torch.log(1 - p)).mean()": "nn.BCEWithLogitsLoss()(p, t)",
        "((p > 0.5) * t)": "((p > 0) * t)",
        "((p > 0.5) + t)": "((p > 0) + t)",
    },
)
