"""Activations are thrown away and computed again in the backward pass; dropout must repeat itself."""

import torch
from reproducible import fingerprint, seed_everything
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.set_num_threads(1)


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.Linear(12, 12), nn.ReLU(), nn.Dropout(0.2)) for _ in range(4)
        )
        self.head = nn.Linear(12, 3)

    def forward(self, x):
        for i, block in enumerate(self.blocks):
            x = x + checkpoint(block, x, use_reentrant=i % 2 == 1)
        return self.head(x)


seed_everything(44)
model = Deep()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
teacher = torch.randn(12, 3)
for step in range(50):
    x = torch.randn(16, 12, requires_grad=True)
    loss = nn.functional.cross_entropy(model(x), (x @ teacher).argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step, "loss", loss.item())
print(fingerprint(model, optimizer))
