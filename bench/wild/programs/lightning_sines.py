"""Predict the next value of noisy sine waves with an LSTM under the Lightning Trainer."""

import argparse

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=3e-3)
parser.add_argument("--hidden", type=int, default=32)
parser.add_argument("--batch-size", type=int, default=32)
parser.add_argument("--accumulate", type=int, default=1)
args = parser.parse_args()


class Forecaster(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(1, args.hidden, batch_first=True)
        self.head = nn.Linear(args.hidden, 1)

    def forward(self, x):
        states, _ = self.lstm(x)
        return self.head(states[:, -1])

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.mse_loss(self(x), y)
        self.log("train_loss", loss, on_step=True, on_epoch=True)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        self.log("val_loss", F.mse_loss(self(x), y))

    def configure_optimizers(self):
        optimizer = torch.optim.AdamW(self.parameters(), lr=args.lr)
        scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.5)
        return {"optimizer": optimizer, "lr_scheduler": {"scheduler": scheduler, "interval": "epoch"}}


L.seed_everything(1)
phase = torch.rand(1500, 1) * 6.283
frequency = 0.2 + 0.4 * torch.rand(1500, 1)
waves = torch.sin(phase + frequency * torch.arange(25)) + 0.05 * torch.randn(1500, 25)
x, y = waves[:, :24].unsqueeze(2), waves[:, 24:]
train_loader = DataLoader(TensorDataset(x[:1200], y[:1200]), batch_size=args.batch_size, shuffle=True)
val_loader = DataLoader(TensorDataset(x[1200:], y[1200:]), batch_size=300)
trainer = L.Trainer(
    max_steps=args.steps,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    accumulate_grad_batches=args.accumulate,
)
model = Forecaster()
trainer.fit(model, train_loader, val_loader)
print(f"val_mse {trainer.validate(model, val_loader, verbose=False)[0]['val_loss']:.4f}")
