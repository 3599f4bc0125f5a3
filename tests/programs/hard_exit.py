# some clusters' scripts leave like this, to skip slow clean-up
import os
import sys

import torch

torch.set_num_threads(1)
torch.manual_seed(35)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(120):
    x = torch.randn(8, 4)
    loss = (model(x) - x.mean(1, keepdim=True)).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step, "loss", loss.item())
sys.stdout.flush()
os._exit(4)
