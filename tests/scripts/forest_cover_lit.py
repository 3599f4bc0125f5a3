import logging
import warnings

import lightning as L
import torch
from sklearn.datasets import make_classification
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class CoverTypeDM(L.LightningDataModule):
    def __init__(self, batch_size=64):
        super().__init__()
        self.batch_size = batch_size

    def setup(self, stage=None):
        X, y = make_classification(n_samples=4000, n_features=30, n_informative=16, n_classes=7, n_clusters_per_class=2,
                                   class_sep=1.3, random_state=0)
        X = (X - X.mean(0)) / X.std(0)
        ds = TensorDataset(torch.tensor(X).float(), torch.tensor(y))
        self.train, self.val = torch.utils.data.random_split(ds, [3200, 800], generator=torch.Generator().manual_seed(0))

    def train_dataloader(self):
        return DataLoader(self.train, batch_size=self.batch_size, shuffle=True)

    def val_dataloader(self):
        return DataLoader(self.val, batch_size=400)


class CoverNet(L.LightningModule):
    def __init__(self, lr=0.05):
        super().__init__()
        self.model = nn.Sequential(
            nn.Linear(30, 128), nn.ReLU(),
            nn.Linear(128, 64), nn.ReLU(),
            nn.Linear(64, 7), nn.Softmax(dim=1),
        )
        self.loss = nn.CrossEntropyLoss()
        self.lr = lr

    def forward(self, x):
        return self.model(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = self.loss(self(x), y)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        scores = self(x)
        self.log("val_loss", self.loss(scores, y))
        self.log("val_acc", (scores.argmax(1) == y).float().mean())

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d} train_loss={m['train_loss']:.3f} val_loss={m['val_loss']:.3f} val_acc={m['val_acc']:.3f}")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=self.lr, momentum=0.9)


L.seed_everything(0, verbose=False)
trainer = L.Trainer(max_epochs=15, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                    enable_model_summary=False, num_sanity_val_steps=0)
trainer.fit(CoverNet(lr=0.02), datamodule=CoverTypeDM())
