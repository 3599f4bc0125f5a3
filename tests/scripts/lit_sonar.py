"""Depth of the sea floor from one sonar echo (60 bins), Lightning."""
import argparse
import logging
import warnings

import lightning as L
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def echoes(n, seed):
    rng = np.random.default_rng(seed)
    depth = rng.uniform(0.1, 0.9, n)
    hard = rng.uniform(0.05, 0.12, (n, 1))
    f = np.linspace(0, 1, 60)
    x = np.exp(-((f - depth[:, None]) / hard) ** 2) + 0.5 * np.exp(-((f - 0.5 * depth[:, None]) / 0.03) ** 2) + 0.3 * rng.normal(size=(n, 60))
    y = (depth - 0.5) / 0.231
    return torch.tensor((x - x.mean()) / x.std(), dtype=torch.float32), torch.tensor(y, dtype=torch.float32)


class SonarNet(L.LightningModule):
    def __init__(self, hidden=64, p=0.4, lr=1e-3):
        super().__init__()
        self.lr = lr
        self.fc1 = nn.Linear(60, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.fc3 = nn.Linear(hidden, 1)
        self.dropout = nn.Dropout(p)

    def forward(self, x):
        x = F.relu(self.fc1(x))
        x = F.relu(self.fc2(x))
        x = self.dropout(self.fc3(x))
        return x.squeeze(1)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.mse_loss(self(x), y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        out = self(x)
        self.log_dict({"val_loss": F.mse_loss(out, y), "val_mae_m": 23.1 * (out - y).abs().mean()})

    def on_train_epoch_end(self):
        m = {k: round(float(v), 4) for k, v in self.trainer.callback_metrics.items()}
        print(f"epoch {self.current_epoch}", m)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.lr)


def cli():
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=20)
    a = ap.parse_args()
    L.seed_everything(70)
    tr, va = echoes(2000, 1), echoes(500, 2)
    t = L.Trainer(max_epochs=a.epochs, accelerator="cpu", logger=False, enable_checkpointing=False,
                  enable_progress_bar=False, enable_model_summary=False)
    t.fit(SonarNet(), DataLoader(TensorDataset(*tr), batch_size=32, shuffle=True), DataLoader(TensorDataset(*va), batch_size=100))


if __name__ == "__main__":
    cli()
