import warnings

import lightning as L
import torch
import torch.nn.functional as F
from lightning.pytorch.callbacks import EarlyStopping
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
L.seed_everything(12)


class CancerData(L.LightningDataModule):
    def setup(self, stage=None):
        X, y = load_breast_cancer(return_X_y=True)
        a, b, c, d = train_test_split(X, y, test_size=0.25, random_state=3, stratify=y)
        sc = StandardScaler().fit(a)
        t = lambda v: torch.tensor(v, dtype=torch.float32)
        self.tr = TensorDataset(t(sc.transform(a)), t(c))
        self.va = TensorDataset(t(sc.transform(b)), t(d))

    def train_dataloader(self):
        return DataLoader(self.tr, batch_size=32, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.va, batch_size=256)


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(30, 256), nn.ReLU(), nn.Dropout(0.6),
            nn.Linear(256, 128), nn.ReLU(), nn.Dropout(0.6),
            nn.Linear(128, 1),
        )

    def forward(self, x):
        return self.net(x).squeeze(-1)

    def training_step(self, batch, _):
        x, y = batch
        loss = F.binary_cross_entropy_with_logits(self(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        x, y = batch
        z = self(x)
        self.log("val_loss", F.binary_cross_entropy_with_logits(z, y))
        self.log("val_acc", ((z > 0) == y.bool()).float().mean())

    def on_validation_epoch_end(self):
        m = self.trainer.callback_metrics
        if "train_loss" in m and self.current_epoch % 3 == 0:
            print(f"epoch {self.current_epoch}  train {m['train_loss']:.4f}  val {m['val_loss']:.4f}  acc {m['val_acc']:.3f}")

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=6e-4, weight_decay=1e-2)


trainer = L.Trainer(max_epochs=60, accelerator="cpu", logger=False, enable_checkpointing=False,
                    enable_progress_bar=False, enable_model_summary=False,
                    callbacks=[EarlyStopping("val_loss", patience=5, min_delta=2e-3)])
trainer.fit(Net(), datamodule=CancerData())
print("stopped at epoch", trainer.current_epoch, {k: round(v.item(), 4) for k, v in trainer.callback_metrics.items()})
