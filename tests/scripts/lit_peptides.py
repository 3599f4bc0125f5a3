import logging
import warnings

import lightning as L
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
L.seed_everything(55)

# peptides: 20 letters, 24 long; the activity depends on the motifs they hold
rng = np.random.default_rng(55)
seqs = rng.integers(0, 20, (5000, 24))
motifs = rng.integers(0, 20, (20, 3))
weights = rng.normal(size=20) * 1.5
for i in range(5000):
    for m in rng.choice(20, 4, replace=False):
        p = rng.integers(0, 22)
        seqs[i, p:p + 3] = motifs[m]
windows = np.lib.stride_tricks.sliding_window_view(seqs, 3, axis=1)
found = (windows[:, :, None, :] == motifs).all(-1).any(1)
activity = found @ weights
activity = (activity - activity.mean()) / activity.std() + 0.05 * rng.normal(size=5000)

ds = TensorDataset(torch.tensor(seqs), torch.tensor(activity, dtype=torch.float32))
train_ds, val_ds = random_split(ds, [4400, 600])


class PeptideNet(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(20, 16)
        self.conv = nn.Conv1d(16, 48, 3)
        self.mlp = nn.Sequential(nn.Linear(48, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, s):
        h = torch.relu(self.conv(self.emb(s).transpose(1, 2)))
        return self.mlp(h.amax(2)).squeeze(1)

    def training_step(self, batch, idx):
        s, a = batch
        loss = nn.functional.mse_loss(self(s), a)
        self.log("train/mse", loss, on_step=False, on_epoch=True)
        return loss

    def validation_step(self, batch, idx):
        s, a = batch
        self.log("val/mse", nn.functional.mse_loss(self(s), a))

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print("epoch", self.current_epoch, "train/mse %.4f val/mse %.4f" % (m["train/mse"], m["val/mse"]))

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=5e-4)


trainer = L.Trainer(max_epochs=2, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                    enable_model_summary=False)
trainer.fit(PeptideNet(), DataLoader(train_ds, batch_size=32, shuffle=True), DataLoader(val_ds, batch_size=100))
