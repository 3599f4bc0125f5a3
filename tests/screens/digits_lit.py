import lightning as L
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class LitDigits(L.LightningModule):
    def __init__(self, hidden=96, lr=1e-3):
        super().__init__()
        self.save_hyperparameters()
        self.net = nn.Sequential(nn.Linear(64, hidden), nn.GELU(), nn.Dropout(0.1),
                                 nn.Linear(hidden, hidden), nn.GELU(), nn.Linear(hidden, 10))

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.nll_loss(self(x), y)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        out = self(x)
        self.log("val_loss", F.cross_entropy(out, y))
        self.log("val_acc", (out.argmax(1) == y).float().mean(), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hparams.lr)


class DigitsData(L.LightningDataModule):
    def setup(self, stage=None):
        d = load_digits()
        x = torch.tensor(d.data / 16 - 0.3, dtype=torch.float32)
        y = torch.tensor(d.target)
        g = torch.randperm(len(x), generator=torch.Generator().manual_seed(1))
        self.tr, self.va = TensorDataset(x[g[:1400]], y[g[:1400]]), TensorDataset(x[g[1400:]], y[g[1400:]])

    def train_dataloader(self):
        return DataLoader(self.tr, batch_size=64, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.va, batch_size=200)


if __name__ == "__main__":
    torch.set_num_threads(1)
    L.seed_everything(11)
    trainer = L.Trainer(max_epochs=15, accelerator="cpu", logger=False, enable_checkpointing=False,
                        enable_progress_bar=False, log_every_n_steps=5)
    trainer.fit(LitDigits(), DigitsData())
    print({k: round(float(v), 3) for k, v in trainer.callback_metrics.items()})
