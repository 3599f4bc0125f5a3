"""Prints what a program can see of how it was started, and trains a little."""

import inspect
import os
import pickle
import sys
import threading

import torch
import torch.nn.functional as F

print(sys.argv, __name__, os.path.basename(__file__), os.getcwd() == os.environ.get("PWD", os.getcwd()))
print(os.path.basename(sys.path[0]), sys.flags.interactive, sys.stdin.isatty(), threading.active_count())
print(inspect.signature(F.cross_entropy), F.cross_entropy.__name__, F.cross_entropy.__module__)
print(inspect.signature(torch.Tensor.backward), inspect.signature(torch.optim.SGD.step))
print(pickle.loads(pickle.dumps(F.mse_loss)) is F.mse_loss, "traindx" in sys.modules["__main__"].__dict__)

torch.set_num_threads(1)
torch.manual_seed(59)
model = torch.nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=float(sys.argv[1]) if len(sys.argv) > 1 else 0.1)
for step in range(30):
    x = torch.randn(6, 3)
    loss = F.cross_entropy(model(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step, "loss", loss.item())
print("read", repr(sys.stdin.readline()))
