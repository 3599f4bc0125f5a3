"""Forks in the middle of its training, once by hand and once with multiprocessing; both children train on."""

import os
import sys

import torch
import torch.multiprocessing as mp
from reproducible import fingerprint, seed_everything
from torch import nn

torch.set_num_threads(1)
seed_everything(60)
model = nn.Sequential(nn.Linear(4, 10), nn.ReLU(), nn.Linear(10, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)


def train_step():
    x = torch.randn(8, 4)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def train_on(who):
    for _ in range(60):
        print(who, "has loss", train_step())
    sys.stdout.flush()


for step in range(90):
    print("parent has loss", train_step(), flush=True)
    if step == 20:
        child = os.fork()
        if child == 0:
            train_on("forked child")
            sys.exit(7)
        print("child left with", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
    if step == 50:
        process = mp.get_context("fork").Process(target=train_on, args=("started child",))
        process.start()
        process.join()
print(fingerprint(model, optimizer))
