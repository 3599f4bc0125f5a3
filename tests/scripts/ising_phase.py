# Classify Ising configurations (ordered / disordered) from 12x12 spins
import math
from typing import Tuple

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


def sample(n: int, temp: float, size: int = 12, sweeps: int = 25, gen: torch.Generator = None) -> Tensor:
    """Checkerboard Metropolis, n chains side by side."""
    s = torch.ones(n, size, size)
    ij = torch.arange(size)
    board = ((ij[:, None] + ij[None, :]) % 2).bool()
    for _ in range(sweeps):
        for colour in (board, ~board):
            nb = s.roll(1, 1) + s.roll(-1, 1) + s.roll(1, 2) + s.roll(-1, 2)
            accept = torch.rand(s.shape, generator=gen) < torch.exp(-2 * s * nb / temp)
            s = torch.where(accept & colour, -s, s)
    flip = torch.where(torch.rand(n, 1, 1, generator=gen) < 0.5, -1.0, 1.0)
    return s * flip


def dataset(n: int, seed: int) -> Tuple[Tensor, Tensor]:
    g = torch.Generator().manual_seed(seed)
    cold = sample(n // 2, 2.15, gen=g)
    hot = sample(n // 2, 2.6, gen=g)
    x = torch.cat([cold, hot]).unsqueeze(1)
    y = torch.cat([torch.zeros(n // 2), torch.ones(n // 2)]).long()
    return x, y


class PhaseNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1, padding_mode="circular"), nn.ReLU(),
                                  nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.ReLU())
        self.head = nn.Linear(24, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.conv(x).mean((2, 3)))


def accuracy(model: nn.Module, x: Tensor, y: Tensor) -> Tuple[float, float]:
    model.eval()
    with torch.no_grad():
        out = model(x)
    return nn.functional.cross_entropy(out, y).item(), (out.argmax(1) == y).float().mean().item()


def main() -> None:
    torch.manual_seed(30)
    xtr, ytr = dataset(2000, 1)
    xva, yva = dataset(500, 2)
    model = PhaseNet()
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=0.15)
    loader = DataLoader(TensorDataset(xtr, ytr), batch_size=50, shuffle=True)
    for ep in range(15):
        model.train()
        total = 0.0
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item()
        vl, va = accuracy(model, xva, yva)
        print(f"ep {ep:2d}  train {total / len(loader):.4f}  val {vl:.4f}  val acc {va:.3f}  (ln2 = {math.log(2):.4f})")


if __name__ == "__main__":
    main()
