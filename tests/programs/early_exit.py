import sys

import torch

torch.set_num_threads(1)
torch.manual_seed(34)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
best = float("inf")
for step in range(100):
    x = torch.randn(8, 4)
    loss = (model(x) - x.mean(1, keepdim=True)).abs().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step, "loss", loss.item())
    best = min(best, loss.item())
    if step == 44:
        print("no progress, giving up", file=sys.stderr)
        sys.exit(3)
