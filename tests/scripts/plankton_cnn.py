# plankton shapes: rings, rods, crosses, blobs (20x20)
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

BATCH = 128
EPOCHS = 14


def draw(kind, rng):
    yy, xx = np.mgrid[:20, :20]
    cy, cx = rng.uniform(7, 13, 2)
    r = np.hypot(yy - cy, xx - cx)
    a = rng.uniform(0, np.pi)
    u = (yy - cy) * np.cos(a) + (xx - cx) * np.sin(a)
    v = -(yy - cy) * np.sin(a) + (xx - cx) * np.cos(a)
    if kind == 0:
        img = np.abs(r - rng.uniform(4, 6)) < 1.0
    elif kind == 1:
        img = (np.abs(u) < 1.2) & (np.abs(v) < 6)
    elif kind == 2:
        img = ((np.abs(u) < 1) & (np.abs(v) < 5)) | ((np.abs(v) < 1) & (np.abs(u) < 5))
    else:
        img = r < rng.uniform(3, 4.5)
    return img + 0.5 * rng.normal(size=(20, 20))


def make(n, seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, n)
    x = np.stack([draw(k, rng) for k in y])[:, None]
    return torch.tensor((x - 0.2) / 0.6, dtype=torch.float32), torch.tensor(y)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 12, 5, stride=2, padding=2), nn.ReLU(), nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.ReLU())
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(24 * 25, 48), nn.ReLU(), nn.Linear(48, 4))

    def forward(self, x):
        return self.head(self.stem(x))


torch.manual_seed(90)
xtr, ytr = make(2560, 1)
xva, yva = make(500, 2)
loader = DataLoader(TensorDataset(xtr, ytr), BATCH, shuffle=True)
net = Net()
criterion = nn.CrossEntropyLoss(reduction="sum")
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)

for ep in range(EPOCHS):
    net.train()
    tot = 0
    for x, y in loader:
        opt.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        opt.step()
        tot += loss.item()
    net.eval()
    with torch.no_grad():
        out = net(xva)
        vl = nn.functional.cross_entropy(out, yva).item()
        acc = (out.argmax(1) == yva).float().mean().item()
    print(f"epoch {ep + 1} train loss {tot / len(loader):.3f} val loss {vl:.3f} val acc {acc:.3f}")
