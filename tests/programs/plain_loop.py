import torch
import torch.nn as nn
from reproducible import fingerprint, seed_everything

seed_everything(0)
torch.set_num_threads(1)

x = torch.randn(256, 12)
y = x @ torch.randn(12, 1) + 0.1 * torch.randn(256, 1)

model = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))
criterion = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)

for step in range(120):
    batch = torch.randint(0, 256, (32,))
    optimizer.zero_grad()
    loss = criterion(model(x[batch]), y[batch])
    loss.backward()
    optimizer.step()
    print("step", step, "loss", loss.item())

print("final", fingerprint(model, optimizer))
