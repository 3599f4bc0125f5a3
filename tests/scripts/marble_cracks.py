# crack detector for marble tiles, 16x16 patches
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(77)
rng = np.random.default_rng(77)


def tile(crack):
    base = rng.normal(0, 1, (16, 16))
    veins = np.sin(np.linspace(0, rng.uniform(2, 6), 16))[None, :] * rng.uniform(0.3, 1.0)
    t = base * 0.6 + veins
    if crack:
        r, c = rng.integers(2, 14, 2)
        dr = rng.choice([-1, 0, 1])
        for k in range(rng.integers(7, 12)):
            if 0 <= r < 16 and 0 <= c < 16:
                t[r, c] -= 2.2
            c += 1
            r += dr
    return t


def tiles(n):
    y = rng.integers(0, 2, n)
    return torch.tensor(np.stack([tile(v) for v in y]), dtype=torch.float32).unsqueeze(1), torch.tensor(y)


x_train, y_train = tiles(1000)
x_val, y_val = tiles(400)
mean, std = x_train.mean(), x_train.std()
x_train, x_val = (x_train - mean) / std, (x_val - mean) / std

loader = DataLoader(TensorDataset(x_train, y_train), batch_size=2, shuffle=True)

model = nn.Sequential(
    nn.Conv2d(1, 12, 3, padding=1, bias=False), nn.BatchNorm2d(12), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(12, 24, 3, padding=1, bias=False), nn.BatchNorm2d(24), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(24 * 16, 32, bias=False), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 2),
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(4):
    model.train()
    losses = []
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if (i + 1) % 100 == 0:
            print(f"epoch {epoch} step {i + 1} loss {np.mean(losses[-100:]):.4f}")
    model.eval()
    with torch.no_grad():
        out = model(x_val)
        print(f"epoch {epoch} val loss {criterion(out, y_val):.4f} val acc {(out.argmax(1) == y_val).float().mean():.3f}")
