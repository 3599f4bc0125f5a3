import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(23)
np.random.seed(23)

# building shape parameters -> heating energy
n = 3000
X = np.random.uniform(-1, 1, (n, 8))
y = 2 * X[:, 0] * X[:, 1] + np.sin(3 * X[:, 2]) + X[:, 3] ** 2 - X[:, 4] + 0.5 * np.abs(X[:, 5]) + 0.05 * np.random.randn(n)
X = (X - X.mean(0)) / X.std(0)
y = (y - y.mean()) / y.std()
X, y = torch.FloatTensor(X), torch.FloatTensor(y).view(-1, 1)
train_dl = DataLoader(TensorDataset(X[:2400], y[:2400]), batch_size=64, shuffle=True)

net = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.02, momentum=0.998)
mse = nn.MSELoss()

for epoch in range(40):
    net.train()
    tl = 0.
    for a, b in train_dl:
        opt.zero_grad()
        l = mse(net(a), b)
        l.backward()
        opt.step()
        tl += l.item() * len(a) / 2400
    net.eval()
    with torch.no_grad():
        vl = mse(net(X[2400:]), y[2400:]).item()
    print(f'{epoch:3d} train {tl:.4f} val {vl:.4f}')
