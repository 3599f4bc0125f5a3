"""Digits with two loaders, an epoch at a time."""

import torch
from reproducible import fingerprint, seed_everything
from sklearn.datasets import load_digits
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.set_num_threads(1)
seed_everything(1)

digits = load_digits()
images = torch.tensor(digits.data, dtype=torch.float32) / 16
labels = torch.tensor(digits.target)
train_set, val_set = random_split(TensorDataset(images, labels), [1437, 360])
train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
val_loader = DataLoader(val_set, batch_size=90)

net = nn.Sequential(nn.Linear(64, 48), nn.BatchNorm1d(48), nn.ReLU(), nn.Dropout(0.2), nn.Linear(48, 10))
loss_fn = nn.CrossEntropyLoss()
opt = optim.Adam(net.parameters(), lr=2e-3)

for epoch in range(4):
    net.train()
    for inputs, targets in train_loader:
        opt.zero_grad()
        loss = loss_fn(net(inputs), targets)
        loss.backward()
        opt.step()
        print(f"epoch {epoch} loss={loss.item()!r}")
    net.eval()
    total, correct = 0.0, 0
    with torch.no_grad():
        for inputs, targets in val_loader:
            outputs = net(inputs)
            total += loss_fn(outputs, targets).item() * len(targets)
            correct += (outputs.argmax(1) == targets).sum().item()
    print(f"epoch {epoch} val_loss={total / 360!r} val_acc={correct / 360!r}")

print(fingerprint(net, opt))
