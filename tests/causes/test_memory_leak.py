"""Losses and pictures are kept with the graphs behind them; the twin keeps numbers."""

from tests.twins import Twin

TWIN = Twin(
    "oct_autoencoder",
    {
        "append(loss)": "append(loss.detach())",
        '        self.history["recon"].append(recon)\n': "",
        "append(code)": "append(code.detach().std())",
        "c.std() for c in": "c for c in",
    },
)
