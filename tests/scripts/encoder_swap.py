"""Signal classification: build the network, then swap in a wider block for the chosen variant."""
import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(4)


def signals(n, length=64):
    y = torch.randint(0, 6, (n,))
    t = torch.linspace(0, 1, length)
    freq = 2.0 + 1.5 * y.float()
    phase = torch.rand(n) * 2 * math.pi
    x = torch.sin(2 * math.pi * freq[:, None] * t + phase[:, None]) + 0.4 * torch.randn(n, length)
    return x[:, None, :], y


class SignalNet(nn.Module):
    def __init__(self, channels=16, classes=6):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv1d(1, channels, 7, stride=2, padding=3), nn.ReLU(),
            nn.Conv1d(channels, channels, 5, stride=2, padding=2), nn.ReLU(),
            nn.AdaptiveAvgPool1d(4), nn.Flatten(),
        )
        self.head = nn.Linear(4 * channels, classes)

    def forward(self, x):
        return self.head(self.features(x))

    def widen(self, channels):
        fresh = SignalNet(channels)
        self.features, self.head = fresh.features, fresh.head


def evaluate(model, loader, loss_fn):
    model.eval()
    loss, hits, n = 0.0, 0, 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            loss += loss_fn(out, y).item() * len(y)
            hits += (out.argmax(1) == y).sum().item()
            n += len(y)
    return loss / n, hits / n


train_loader = DataLoader(TensorDataset(*signals(2000)), batch_size=50, shuffle=True)
val_loader = DataLoader(TensorDataset(*signals(500)), batch_size=250)

model = SignalNet()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
loss_fn = nn.CrossEntropyLoss()
model.widen(24)

for epoch in range(15):
    model.train()
    total = 0.0
    for x, y in train_loader:
        optimizer.zero_grad()
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    val_loss, val_acc = evaluate(model, val_loader, loss_fn)
    print(f"epoch {epoch}: loss={total / len(train_loader):.4f} val_loss={val_loss:.4f} val_acc={val_acc:.3f}")
