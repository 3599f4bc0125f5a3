"""Leaf scans: read PGM text images, augment, classify 3 species."""
import io

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

SIZE = 40


def scan(kind, rng):
    yy, xx = np.mgrid[-1:1:SIZE * 1j, -1:1:SIZE * 1j]
    a = rng.uniform(-0.5, 0.5)
    u, v = yy * np.cos(a) + xx * np.sin(a), -yy * np.sin(a) + xx * np.cos(a)
    shape = [u ** 2 / 0.7 + v ** 2 / 0.12, u ** 2 / 0.4 + v ** 2 / 0.4, np.abs(u) + np.abs(v) * 1.3][kind]
    img = np.clip(150 * (shape < 0.8) + 50 + 25 * rng.normal(size=shape.shape), 0, 255).astype(int)
    buf = io.StringIO()
    buf.write(f"P2\n{SIZE} {SIZE}\n255\n")
    for row in img:
        buf.write(" ".join(map(str, row)) + "\n")
    return buf.getvalue()


class LeafScans(Dataset):
    """keeps the scans as PGM text, as they come from the scanner"""

    def __init__(self, n, seed, augment=False):
        rng = np.random.default_rng(seed)
        self.labels = rng.integers(0, 3, n)
        self.files = [scan(k, rng) for k in self.labels]
        self.augment = augment
        self.rng = np.random.default_rng(seed + 1)

    def __len__(self):
        return len(self.files)

    def read_pgm(self, text):
        tokens = text.split()
        w, h = int(tokens[1]), int(tokens[2])
        img = np.zeros((h, w), dtype=np.float32)
        for k, tok in enumerate(tokens[4:]):
            img[k // w, k % w] = float(tok) / 255.0
        return img

    def __getitem__(self, i):
        img = self.read_pgm(self.files[i])
        if self.augment and self.rng.random() < 0.5:
            img = img[:, ::-1]
        lo, hi = np.percentile(img, [1, 99])
        img = np.clip((img - lo) / (hi - lo), 0, 1)
        x = torch.tensor(np.ascontiguousarray(img), dtype=torch.float32)[None]
        return (x - 0.4) / 0.4, int(self.labels[i])


class LeafNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 8, 5, stride=2, padding=2), nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(),
            nn.AdaptiveAvgPool2d(4), nn.Flatten(), nn.Linear(256, 3))

    def forward(self, x):
        return self.net(x)


def main():
    torch.manual_seed(14)
    train = DataLoader(LeafScans(1200, 1, augment=True), batch_size=24, shuffle=True)
    val = DataLoader(LeafScans(240, 2), batch_size=60)
    net, ce = LeafNet(), nn.CrossEntropyLoss()
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    for epoch in range(4):
        net.train()
        s = 0.0
        for step, (x, y) in enumerate(train):
            opt.zero_grad()
            loss = ce(net(x), y)
            loss.backward()
            opt.step()
            s += loss.item()
            if step % 10 == 9:
                print(f"epoch {epoch} step {step + 1}/{len(train)} loss {s / (step + 1):.4f}")
        net.eval()
        with torch.no_grad():
            acc = np.mean([(net(x).argmax(1) == y).float().mean().item() for x, y in val])
        print(f"epoch {epoch} val acc {acc:.3f}")


main()
