"""Small convnet on the 8x8 digits, plain SGD with momentum."""
import time

import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(7)

X, y = load_digits(return_X_y=True)
X = torch.tensor(X, dtype=torch.float32).view(-1, 1, 8, 8) / 16.0
X = (X - X.mean()) / X.std()
y = torch.tensor(y)
X_tr, X_va, y_tr, y_va = train_test_split(X, y, test_size=0.2, random_state=0, stratify=y)
train_dl = DataLoader(TensorDataset(X_tr, y_tr), batch_size=32, shuffle=True)
val_dl = DataLoader(TensorDataset(X_va, y_va), batch_size=256)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.fc1 = nn.Linear(32 * 4 * 4, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(x.flatten(1)))
        return self.fc2(x)


model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.22, momentum=0.9)
criterion = nn.CrossEntropyLoss()

EPOCHS = 20
for epoch in range(1, EPOCHS + 1):
    model.train()
    t0, running = time.time(), 0.0
    for xb, yb in train_dl:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        running += loss.item() * len(xb)
    model.eval()
    correct, vloss = 0, 0.0
    with torch.no_grad():
        for xb, yb in val_dl:
            out = model(xb)
            vloss += criterion(out, yb).item() * len(xb)
            correct += (out.argmax(1) == yb).sum().item()
    print(f"epoch {epoch:2d}  train loss {running / len(X_tr):.4f}  val loss {vloss / len(X_va):.4f}  "
          f"val acc {correct / len(X_va):.3f}  ({time.time() - t0:.1f}s)")
