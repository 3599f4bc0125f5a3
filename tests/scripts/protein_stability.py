import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(27)
rng = np.random.default_rng(27)

# 10 descriptors of a mutation -> change of stability
X = rng.normal(size=(2600, 10)).astype(np.float32)
w1 = rng.normal(size=(10, 6)) / 3
h = np.tanh(X @ w1 * 2)
y = h @ rng.normal(size=6) + 0.4 * h[:, 0] * h[:, 1]
y = ((y - y.mean()) / y.std() + 0.05 * rng.normal(size=len(y))).astype(np.float32)


class StabilityNet(nn.Module):
    def __init__(self, d=10, width=64, p=0.4):
        super().__init__()
        self.p = p
        self.l1 = nn.Linear(d, width)
        self.l2 = nn.Linear(width, width)
        self.l3 = nn.Linear(width, 1)

    def forward(self, x):
        x = F.relu(self.l1(x))
        x = F.dropout(x, self.p)
        x = F.relu(self.l2(x))
        x = F.dropout(x, self.p)
        return self.l3(x)


data = TensorDataset(torch.from_numpy(X), torch.from_numpy(y)[:, None])
train_set, val_set = random_split(data, [2000, 600])
train_loader = DataLoader(train_set, batch_size=40, shuffle=True)
val_loader = DataLoader(val_set, batch_size=200)

net = StabilityNet()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.StepLR(opt, 20, 0.5)

for epoch in range(50):
    net.train()
    tl = 0.0
    for xb, yb in train_loader:
        opt.zero_grad()
        loss = F.mse_loss(net(xb), yb)
        loss.backward()
        opt.step()
        tl += loss.item()
    sched.step()
    net.eval()
    with torch.no_grad():
        vl = sum(F.mse_loss(net(xb), yb).item() for xb, yb in val_loader) / len(val_loader)
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1:3d}  train {tl / len(train_loader):.4f}  val {vl:.4f}")

net.eval()
with torch.no_grad():
    a, b = net(data.tensors[0][:5]).ravel(), net(data.tensors[0][:5]).ravel()
print("prediction for the first five:", [round(v, 3) for v in a.tolist()])
print("and asked once more:          ", [round(v, 3) for v in b.tolist()])
