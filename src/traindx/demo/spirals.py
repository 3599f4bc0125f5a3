"""Tells three interleaved spirals apart: a training that fails, for `traindx demo`."""

import math

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)  # a network this small is faster so


def spirals(examples):
    label = torch.randint(3, (examples,))
    radius = torch.rand(examples)
    angle = 4.5 * radius + label * 2 * math.pi / 3 + 0.15 * torch.randn(examples)
    return torch.stack([radius * angle.cos(), radius * angle.sin()], dim=1), label


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(2, 256)
        self.deeper = nn.Linear(256, 256)
        self.out = nn.Linear(256, 3)

    def forward(self, x):
        x = torch.relu(self.hidden(x))
        x = torch.relu(self.deeper(x))
        return self.out(x)


train = DataLoader(TensorDataset(*spirals(6400)), batch_size=128, shuffle=True)
validation = DataLoader(TensorDataset(*spirals(400)), batch_size=100)
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=2.0, momentum=0.9)
loss_function = nn.CrossEntropyLoss()

for epoch in range(1, 21):
    model.train()
    for points, label in train:
        loss = loss_function(model(points), label)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        losses = [loss_function(model(points), label) for points, label in validation]
    if epoch % 5 == 0:
        print(f"epoch {epoch:2}  loss {loss:.3f}  validation loss {sum(losses) / len(losses):.3f}")
