"""Small U-Net for nuclei masks. Images are synthetic blobs that look like our fluorescence slides."""
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Config:
    size: int = 32
    n_train: int = 320
    n_val: int = 64
    batch_size: int = 16
    epochs: int = 12
    lr: float = 1e-2
    seed: int = 7


def make_slide(rng, size):
    yy, xx = np.mgrid[:size, :size]
    mask = np.zeros((size, size), dtype=np.uint8)
    for _ in range(rng.integers(2, 5)):
        cy, cx = rng.uniform(4, size - 4, 2)
        ry, rx = rng.uniform(2.5, 5.0, 2)
        mask[((yy - cy) / ry) ** 2 + ((xx - cx) / rx) ** 2 < 1] = 255
    img = 60 + 0.35 * mask + rng.normal(0, 18, mask.shape)
    return np.clip(img, 0, 255).astype(np.uint8), mask


class Slides(Dataset):
    def __init__(self, n, size, seed):
        rng = np.random.default_rng(seed)
        self.items = [make_slide(rng, size) for _ in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        img, mask = self.items[i]
        x = torch.from_numpy(img).float()[None] / 255.0
        y = torch.from_numpy(mask).float()[None]
        return (x - 0.35) / 0.15, y


def block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(),
                         nn.Conv2d(o, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU())


class UNet(nn.Module):
    def __init__(self, c=8):
        super().__init__()
        self.d1, self.d2 = block(1, c), block(c, 2 * c)
        self.up = nn.ConvTranspose2d(2 * c, c, 2, stride=2)
        self.u1 = block(2 * c, c)
        self.out = nn.Conv2d(c, 1, 1)

    def forward(self, x):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        return self.out(self.u1(torch.cat([self.up(b), a], 1)))


def dice(logits, y):
    p = (logits > 0).float()
    t = (y > 0).float()
    return (2 * (p * t).sum() / (p.sum() + t.sum() + 1e-6)).item()


def main(cfg: Config):
    torch.manual_seed(cfg.seed)
    train = DataLoader(Slides(cfg.n_train, cfg.size, 1), cfg.batch_size, shuffle=True)
    val = DataLoader(Slides(cfg.n_val, cfg.size, 2), cfg.batch_size)
    model = UNet()
    opt = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    crit = nn.BCEWithLogitsLoss()
    for ep in range(1, cfg.epochs + 1):
        model.train()
        tot = 0
        for x, y in train:
            loss = crit(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            tot += loss.item()
        model.eval()
        with torch.no_grad():
            scores = [(crit(o, y).item(), dice(o, y)) for x, y in val for o in [model(x)]]
        vl, vd = np.mean(scores, axis=0)
        print(f"[{ep:02d}/{cfg.epochs}] train {tot / len(train):.4f}  val {vl:.4f}  dice {vd:.3f}")


if __name__ == "__main__":
    main(Config())
