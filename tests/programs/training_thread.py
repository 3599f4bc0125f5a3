"""The window must not freeze: training happens in a thread, and another one prepares the batches."""

import queue
import threading

import torch
from reproducible import fingerprint, seed_everything
from torch import nn

torch.set_num_threads(1)
batches = queue.Queue(maxsize=4)


def prepare():
    generator = torch.Generator().manual_seed(46)
    for _ in range(60):
        x = torch.randn(12, 4, generator=generator)
        batches.put((x, x.norm(dim=1, keepdim=True)))
    batches.put(None)


def train(model, optimizer):
    step = 0
    while (batch := batches.get()) is not None:
        x, y = batch
        optimizer.zero_grad()
        loss = nn.functional.huber_loss(model(x), y)
        loss.backward()
        optimizer.step()
        print("step", step, "loss", loss.item())
        step += 1


seed_everything(47)
model = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
threads = [threading.Thread(target=prepare), threading.Thread(target=train, args=(model, optimizer))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(fingerprint(model, optimizer))
