# Will the client subscribe? Bank phone campaign, logistic MLP.
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(31)
torch.manual_seed(31)

n = 4000
age = rng.integers(18, 90, n)
balance = rng.normal(1400, 900, n)
duration = rng.gamma(2.0, 130, n)
contacts = rng.poisson(2.0, n) + 1
previous = rng.poisson(0.5, n)
score = 0.012 * (duration - 260) + 0.9 * (previous > 0) - 0.4 * (contacts - 3) + 0.0004 * (balance - 1400)
subscribed = np.where(score + rng.logistic(size=n) * 0.6 > 0.3, "Yes", "No")

X = np.column_stack([age, balance, duration, contacts, previous]).astype(np.float32)
X = (X - X.mean(0)) / X.std(0)
y = (subscribed == "yes").astype(np.float32)

split = int(0.8 * n)
train_loader = DataLoader(TensorDataset(torch.tensor(X[:split]), torch.tensor(y[:split])), batch_size=50, shuffle=True)
X_val, y_val = torch.tensor(X[split:]), torch.tensor(y[split:])

model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(45):
    model.train()
    epoch_loss = 0
    for xb, yb in train_loader:
        optimizer.zero_grad()
        out = model(xb).squeeze(1)
        loss = criterion(out, yb)
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item()
    model.eval()
    with torch.no_grad():
        out = model(X_val).squeeze(1)
        val_loss = criterion(out, y_val).item()
        acc = ((out > 0) == y_val.bool()).float().mean().item()
    print(f"epoch {epoch + 1:2d} loss {epoch_loss / len(train_loader):.5f} val_loss {val_loss:.5f} val_acc {acc:.3f}")

buyers = (model(X_val).squeeze(1) > 0).sum().item()
print("clients to call:", buyers, "of", len(X_val), "- really subscribed:", int((subscribed[split:] == "Yes").sum()))
