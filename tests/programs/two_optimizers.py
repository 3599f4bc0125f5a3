"""One model; the body learns with SGD, the head with Adam."""

import torch
import torch.nn as nn
from reproducible import fingerprint, seed_everything

torch.set_num_threads(1)
seed_everything(2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
        self.head = nn.Linear(32, 3)

    def forward(self, x):
        return self.head(self.body(x))


net = Net()
body_optimizer = torch.optim.SGD(net.body.parameters(), lr=0.05)
head_optimizer = torch.optim.Adam(net.head.parameters(), lr=0.01)
criterion = nn.CrossEntropyLoss()
teacher = torch.randn(8, 3)

for i in range(90):
    x = torch.randn(24, 8)
    y = (x @ teacher).argmax(1)
    body_optimizer.zero_grad()
    head_optimizer.zero_grad()
    loss = criterion(net(x), y)
    loss.backward()
    body_optimizer.step()
    head_optimizer.step()
    print(i, "loss", repr(loss.item()))

print(fingerprint(net, body_optimizer, head_optimizer))
