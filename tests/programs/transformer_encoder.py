"""Which half of a sequence has the larger sum? A transformer encoder with dropout learns it."""

import math

import torch
import torch.nn as nn
from reproducible import fingerprint, seed_everything

torch.set_num_threads(1)
seed_everything(20)


class Encoder(nn.Module):
    def __init__(self, width=16, length=10):
        super().__init__()
        self.project = nn.Linear(1, width)
        position = torch.arange(length).unsqueeze(1)
        scale = torch.exp(torch.arange(0, width, 2) * (-math.log(100.0) / width))
        table = torch.zeros(length, width)
        table[:, 0::2] = torch.sin(position * scale)
        table[:, 1::2] = torch.cos(position * scale)
        self.register_buffer("positions", table)
        layer = nn.TransformerEncoderLayer(width, nhead=2, dim_feedforward=32, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        return self.head(self.encoder(self.project(x) + self.positions).mean(dim=1)).squeeze(-1)


def sample(n):
    x = torch.randn(n, 10, 1)
    return x, (x[:, :5].sum((1, 2)) > x[:, 5:].sum((1, 2))).float()


model = Encoder()
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
criterion = nn.BCEWithLogitsLoss()
x_val, y_val = sample(64)
for step in range(1, 61):
    x, y = sample(24)
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
    print("step", step, "loss", loss.item())
    if step % 20 == 0:
        model.eval()
        with torch.inference_mode():
            val_loss = criterion(model(x_val), y_val)
        print("step", step, "val_loss", val_loss.item())
        model.train()
print(fingerprint(model, optimizer))
