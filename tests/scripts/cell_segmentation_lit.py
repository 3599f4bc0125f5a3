import logging
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def make_cells(n, size=20):
    """Images with up to three bright discs and their masks."""
    yy, xx = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
    masks = torch.zeros(n, 1, size, size)
    for i in range(n):
        for _ in range(int(torch.randint(1, 4, (1,)))):
            cy, cx = torch.randint(3, size - 3, (2,))
            r = torch.randint(2, 5, (1,))
            masks[i, 0][(yy - cy) ** 2 + (xx - cx) ** 2 <= r ** 2] = 1
    images = masks * 1.5 + 0.3 * torch.randn_like(masks)
    return (images - images.mean()) / images.std(), masks


class SegModel(L.LightningModule):
    def __init__(self, lr=1e-2):
        super().__init__()
        self.lr = lr
        self.net = nn.Sequential(
            nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(),
            nn.Conv2d(12, 12, 3, padding=1), nn.ReLU(),
            nn.Conv2d(12, 1, 1),
        )

    def forward(self, x):
        return torch.sigmoid(self.net(x))

    def bce(self, p, t):
        return -(t * torch.log(p) + (1 - t) * torch.log(1 - p)).mean()

    def training_step(self, batch, _):
        x, t = batch
        loss = self.bce(self(x), t)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, t = batch
        p = self(x)
        inter = ((p > 0.5) * t).sum()
        self.log_dict({"val_loss": self.bce(p, t), "val_iou": inter / (((p > 0.5) + t) > 0).sum()})

    def on_train_epoch_end(self):
        print(self.current_epoch, {k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr)


if __name__ == "__main__":
    L.seed_everything(5, verbose=False)
    train, val = TensorDataset(*make_cells(800)), TensorDataset(*make_cells(200))
    trainer = L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False)
    trainer.fit(SegModel(), DataLoader(train, batch_size=16, shuffle=True), DataLoader(val, batch_size=100))
