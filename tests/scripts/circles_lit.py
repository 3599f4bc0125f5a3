import warnings

import lightning as L
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")


class CirclesClassifier(L.LightningModule):
    def __init__(self, hidden: int = 128, lr: float = 1e-3, weight_decay: float = 1e-4):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(
            nn.Linear(2, hidden), nn.ReLU(),
            nn.Linear(hidden, hidden), nn.ReLU(),
            nn.Linear(hidden, 3),
        )

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.log("val_loss", F.cross_entropy(logits, y))
        self.log("val_acc", (logits.argmax(-1) == y).float().mean())

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        if self.current_epoch % 5 == 0 and "train_loss" in m:
            print(f"epoch {self.current_epoch}: train {m['train_loss']:.4f} val {m['val_loss']:.4f} acc {m['val_acc']:.3f}")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.hparams.lr, momentum=0.9, weight_decay=self.hparams.weight_decay)


def rings(n, rng):
    label = rng.integers(0, 3, n)
    radius = 0.5 + 0.7 * label + rng.normal(0, 0.08, n)
    angle = rng.uniform(0, 2 * np.pi, n)
    xy = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1)
    return TensorDataset(torch.tensor(xy, dtype=torch.float32), torch.tensor(label))


if __name__ == "__main__":
    L.seed_everything(3)
    rng = np.random.default_rng(3)
    train, val = rings(2000, rng), rings(500, rng)
    trainer = L.Trainer(
        max_epochs=30, accelerator="cpu", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False,
    )
    model = CirclesClassifier(lr=3e-4)
    trainer.fit(model, DataLoader(train, batch_size=64, shuffle=True), DataLoader(val, batch_size=500))
    print({k: round(v.item(), 4) for k, v in trainer.callback_metrics.items()})
