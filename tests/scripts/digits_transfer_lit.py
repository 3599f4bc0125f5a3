"""Digit classifier built from a backbone, a neck and a classifier."""
import logging
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class DigitModel(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.lr = lr
        self.backbone = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        )
        self.neck = nn.Sequential(nn.Linear(32, 64), nn.ReLU())
        self.classifier = nn.Linear(64, 10)
        for name, param in self.named_parameters():
            param.requires_grad = name.startswith("classifier")

    def forward(self, x):
        return self.classifier(self.neck(self.backbone(x)))

    def training_step(self, batch, _):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        out = self(x)
        self.log_dict({"val_loss": F.cross_entropy(out, y), "val_acc": (out.argmax(1) == y).float().mean()})

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr)


class PrintMetrics(L.Callback):
    def on_train_epoch_end(self, trainer, module):
        if trainer.current_epoch % 3 == 0:
            m = {k: f"{v:.4f}" for k, v in trainer.callback_metrics.items()}
            print("epoch", trainer.current_epoch, m)


if __name__ == "__main__":
    L.seed_everything(17, verbose=False)
    d = load_digits()
    x = torch.tensor(d.images, dtype=torch.float32)[:, None] / 8 - 1
    y = torch.tensor(d.target)
    perm = torch.randperm(len(x))
    tr, va = perm[:1437], perm[1437:]
    train_dl = DataLoader(TensorDataset(x[tr], y[tr]), batch_size=32, shuffle=True)
    val_dl = DataLoader(TensorDataset(x[va], y[va]), batch_size=360)
    trainer = L.Trainer(max_epochs=20, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, callbacks=[PrintMetrics()])
    trainer.fit(DigitModel(lr=2e-3), train_dl, val_dl)
