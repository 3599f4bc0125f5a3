"""Accelerometer gestures (6 classes, 3 axes x 40 samples) with Lightning."""
import logging
import warnings

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


def record_session(n, seed):
    """Returns what the two recorders wrote: the sensor log and the annotation log (one line per gesture)."""
    rng = np.random.default_rng(seed)
    t = np.linspace(0, 1, 40)
    y = rng.integers(0, 6, n)
    freq = 1 + 0.7 * y
    sig = np.stack([np.sin(2 * np.pi * (freq[:, None] * t + p) + 0.5 * rng.normal(size=(n, 1))) for p in (0, 0.25, 0.4)], 1)
    sig = sig * rng.uniform(0.6, 1.4, (n, 1, 1)) + 0.4 * rng.normal(size=sig.shape)
    annotations = ["label"] + [str(v) for v in y]
    return sig.astype(np.float32), annotations


class GestureData(L.LightningDataModule):
    def setup(self, stage=None):
        sensor, notes = record_session(1600, 11)
        labels = np.array([int(v) for v in notes[2:]])
        sensor = sensor[:len(labels)]
        x, y = torch.from_numpy(sensor), torch.from_numpy(labels)
        x = (x - x.mean()) / x.std()
        self.train = TensorDataset(x[:1280], y[:1280])
        self.val = TensorDataset(x[1280:], y[1280:])

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=32, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=64)


class GestureNet(L.LightningModule):
    def __init__(self, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.body = nn.Sequential(
            nn.Conv1d(3, 16, 5, padding=2), nn.BatchNorm1d(16), nn.ReLU(), nn.MaxPool1d(2),
            nn.Conv1d(16, 32, 5, padding=2), nn.BatchNorm1d(32), nn.ReLU(), nn.AdaptiveAvgPool1d(4), nn.Flatten(),
        )
        self.head = nn.Linear(128, 6)

    def forward(self, x):
        return self.head(self.body(x))

    def training_step(self, batch, _):
        x, y = batch
        out = self(x)
        loss = F.cross_entropy(out, y)
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        out = self(x)
        self.log("val_loss", F.cross_entropy(out, y))
        self.log("val_acc", (out.argmax(1) == y).float().mean())

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch}: val_loss {m['val_loss']:.4f} val_acc {m['val_acc']:.3f} train_loss {m.get('train_loss', float('nan')):.4f}")

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr, weight_decay=1e-4)


if __name__ == "__main__":
    L.seed_everything(11)
    trainer = L.Trainer(max_epochs=15, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, enable_model_summary=False, num_sanity_val_steps=0)
    trainer.fit(GestureNet(), GestureData())
