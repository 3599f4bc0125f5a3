"""Somebody presses Ctrl-C."""

import os
import signal

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(36)


def main():
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(60):
        x = torch.randn(8, 4)
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("step", step, "loss", loss.item(), flush=True)
        if step == 39:
            os.kill(os.getpid(), signal.SIGINT)


main()
