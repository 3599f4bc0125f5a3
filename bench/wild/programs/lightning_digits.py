"""Classify handwritten digits with a small convolutional network, as in the Lightning quick start."""

import argparse

import lightning as L
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=0.05)
parser.add_argument("--momentum", type=float, default=0.9)
parser.add_argument("--weight-decay", type=float, default=1e-4)
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--clip", type=float, default=1.0)
parser.add_argument("--label-smoothing", type=float, default=0.0)
parser.add_argument("--dropout", type=float, default=0.1)
args = parser.parse_args()


class DigitClassifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Dropout(args.dropout),
            nn.Linear(32 * 4 * 4, 10),
        )

    def forward(self, x):
        return self.net(x)

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = F.cross_entropy(self(x), y, label_smoothing=args.label_smoothing)
        self.log("train_loss", loss)
        return loss

    def validation_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        self.log("val_loss", F.cross_entropy(logits, y))
        self.log("val_acc", (logits.argmax(1) == y).float().mean())

    def configure_optimizers(self):
        return torch.optim.SGD(
            self.parameters(), lr=args.lr, momentum=args.momentum, weight_decay=args.weight_decay
        )


L.seed_everything(7)
digits = load_digits()
images = torch.tensor(digits.images / 16.0, dtype=torch.float32).unsqueeze(1)
labels = torch.tensor(digits.target)
x_train, x_val, y_train, y_val = train_test_split(images, labels, test_size=0.25, random_state=0)
train_loader = DataLoader(TensorDataset(x_train, y_train), batch_size=args.batch_size, shuffle=True)
val_loader = DataLoader(TensorDataset(x_val, y_val), batch_size=256)
trainer = L.Trainer(
    max_steps=args.steps,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    gradient_clip_val=args.clip,
)
model = DigitClassifier()
trainer.fit(model, train_loader, val_loader)
result = trainer.validate(model, val_loader, verbose=False)[0]
print(f"val_loss {result['val_loss']:.4f}")
print(f"val_acc {result['val_acc']:.4f}")
