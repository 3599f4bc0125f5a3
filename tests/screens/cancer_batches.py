import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

torch.set_num_threads(1)
torch.manual_seed(0)

X, y = load_breast_cancer(return_X_y=True)
Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.25, random_state=1, stratify=y)
scaler = StandardScaler().fit(Xtr)
Xtr = torch.tensor(scaler.transform(Xtr), dtype=torch.float32)
Xte = torch.tensor(scaler.transform(Xte), dtype=torch.float32)
ytr = torch.tensor(ytr, dtype=torch.float32)
yte = torch.tensor(yte, dtype=torch.float32)

model = nn.Sequential(
    nn.Linear(30, 64), nn.ReLU(),
    nn.Linear(64, 32), nn.ReLU(),
    nn.Linear(32, 1),
)
loss_fn = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
batch = 32

for epoch in range(40):
    order = torch.randperm(len(Xtr))
    total = 0.0
    for start in range(0, len(Xtr), batch):
        idx = order[start:start + batch]
        xb = Xtr[idx]
        yb = ytr[start:start + batch]
        optimizer.zero_grad()
        loss = loss_fn(model(xb).squeeze(1), yb)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(xb)
    with torch.no_grad():
        logits = model(Xte).squeeze(1)
        val = loss_fn(logits, yte).item()
        acc = ((logits > 0).float() == yte).float().mean().item()
    if epoch % 5 == 4:
        print(f"epoch {epoch + 1}: train loss {total / len(Xtr):.4f}  val loss {val:.4f}  val acc {acc:.3f}")
