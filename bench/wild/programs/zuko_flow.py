"""A neural spline flow from zuko learns the density of two moons."""

import argparse

import torch
import zuko
from sklearn.datasets import make_moons
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--weight-decay", type=float, default=0.0)
parser.add_argument("--batch-size", type=int, default=64)
args = parser.parse_args()

torch.manual_seed(0)
samples = torch.tensor(make_moons(4096, noise=0.08, random_state=0)[0], dtype=torch.float32)
held_out = torch.tensor(make_moons(1000, noise=0.08, random_state=1)[0], dtype=torch.float32)
loader = DataLoader(TensorDataset(samples), batch_size=args.batch_size, shuffle=True)
flow = zuko.flows.NSF(2, transforms=2, hidden_features=(32, 32))
optimizer = torch.optim.Adam(flow.parameters(), lr=args.lr, weight_decay=args.weight_decay)
step = 0
while step < args.steps:
    for (x,) in loader:
        loss = -flow().log_prob(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if step % 25 == 0:
            print(f"step {step} loss {loss.item():.4f}")
        if step >= args.steps:
            break
with torch.no_grad():
    print(f"held-out negative log-likelihood {-flow().log_prob(held_out).mean().item():.4f}")
