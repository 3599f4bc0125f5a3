"""Catches its own mistakes, as long-running services do, prints where they came from, and trains on."""

import traceback

import torch
import torch.nn.functional as F
from reproducible import fingerprint, seed_everything
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)
seed_everything(38)


class Files(Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, index):
        if index == 6:
            raise OSError(f"file {index} is truncated")
        return torch.randn(6)


class Fragile(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        raise NotImplementedError("no gradient")


model = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.ReLU(), torch.nn.Linear(12, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def attempt(step):
    x, y = torch.randn(8, 6), torch.randint(0, 4, (8,))
    optimizer.zero_grad()
    if step == 9:
        x = x[:, :5]
    if step == 19:
        y = y[:7]
    if step == 29:
        list(DataLoader(Files(), batch_size=2))
    loss = F.cross_entropy(model(x), y)
    if step == 39:
        Fragile.apply(loss).backward()
    if step == 49:
        optimizer.step(closure=lambda: 1 / 0)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=True)
    optimizer.step()
    return loss.item()


for step in range(60):
    try:
        print("step", step, "loss", attempt(step))
    except Exception as error:
        print("step", step, "was skipped:", type(error).__name__)
        traceback.print_exc()

print(fingerprint(model, optimizer))
