"""Trains until somebody stops it."""

import itertools
import os

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(61)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
print("pid", os.getpid(), flush=True)
for step in itertools.count(1):
    x = torch.randn(16, 8)
    loss = nn.functional.mse_loss(model(x), x.mean(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step, "loss", loss.item(), flush=True)
