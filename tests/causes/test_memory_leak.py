"""Losses and pictures are kept with the graphs behind them; the twin keeps numbers."""

from tests.twins import Twin

TWIN = Twin(
    "oct_autoencoder",
    {
        "append(loss)": "append(loss.item())",
        '        self.history["recon"].append(recon)\n': "",
        "append(code)": "append(code.std().item())",
        'torch.stack(self.history["loss"]': 'torch.tensor(self.history["loss"]',
        "torch.stack([c.std() for c in": "torch.tensor([c for c in",
    },
)
