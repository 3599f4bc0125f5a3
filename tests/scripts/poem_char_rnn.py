"""Character model on one short poem collection (Lightning)."""
import logging
import random
import warnings

import lightning.pytorch as pl
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)

NOUNS = "moon river stone garden winter sparrow lantern harbour shadow orchard candle thunder".split()
VERBS = "sings waits burns drifts sleeps turns falls glows whispers wanders".split()
ADJ = "pale quiet golden broken distant silver hollow gentle".split()
LINKS = "beneath beyond against upon within beside".split()


def poem(lines, seed):
    r = random.Random(seed)
    out = []
    for _ in range(lines):
        out.append(f"the {r.choice(ADJ)} {r.choice(NOUNS)} {r.choice(VERBS)} {r.choice(LINKS)} the {r.choice(ADJ)} {r.choice(NOUNS)}")
    return "\n".join(out) + "\n"


TEXT = poem(12, 4)
VALID = poem(40, 5)
CHARS = sorted(set(TEXT + VALID))
STOI = {c: i for i, c in enumerate(CHARS)}


class Windows(Dataset):
    def __init__(self, text, block, stride):
        ids = torch.tensor([STOI[c] for c in text])
        self.chunks = [ids[i:i + block + 1] for i in range(0, len(ids) - block - 1, stride)]

    def __len__(self):
        return len(self.chunks)

    def __getitem__(self, i):
        return self.chunks[i][:-1], self.chunks[i][1:]


class CharLSTM(pl.LightningModule):
    def __init__(self, hidden=160):
        super().__init__()
        self.emb = nn.Embedding(len(CHARS), 32)
        self.rnn = nn.LSTM(32, hidden, num_layers=2, batch_first=True)
        self.head = nn.Linear(hidden, len(CHARS))

    def forward(self, x):
        return self.head(self.rnn(self.emb(x))[0])

    def _loss(self, batch):
        x, y = batch
        return F.cross_entropy(self(x).flatten(0, 1), y.flatten())

    def training_step(self, batch, i):
        loss = self._loss(batch)
        self.log("train_loss", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, i):
        self.log("val_loss", self._loss(batch))

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d}  train_loss {m['train_loss']:.3f}  val_loss {m['val_loss']:.3f}")

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=3e-3)


pl.seed_everything(4)
trainer = pl.Trainer(max_epochs=60, accelerator="cpu", logger=False, enable_checkpointing=False, gradient_clip_val=1.0,
                     enable_progress_bar=False, enable_model_summary=False)
trainer.fit(CharLSTM(), DataLoader(Windows(TEXT, 32, 8), batch_size=32, shuffle=True), DataLoader(Windows(VALID, 32, 32), batch_size=32))
