"""Rare-event detection from raw event counts and one-hot country; about 4 % positives."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split
from sklearn.metrics import average_precision_score, recall_score, precision_score

torch.manual_seed(21)
rng = np.random.default_rng(21)
N = 8000
base = rng.gamma(2.0, 1.0, size=(N, 1))
rates = base * np.array([3.0, 40.0, 400.0, 0.3, 12.0])
counts = rng.poisson(rates).astype(np.float32)
country = np.eye(6, dtype=np.float32)[rng.integers(0, 6, N)]
score = 1.5 * np.log1p(counts[:, 0]) - 1.2 * np.log1p(counts[:, 3]) * 2 + 1.5 * country[:, 2] - 0.9 * np.log1p(counts[:, 4]) \
    + 0.3 * rng.normal(size=N)
y = (score > np.quantile(score, 0.96)).astype(np.float32)
X = np.concatenate([counts, country], axis=1)
ds = TensorDataset(torch.from_numpy(X), torch.from_numpy(y).unsqueeze(1))
tr, va = random_split(ds, [6400, 1600])
train_loader = DataLoader(tr, batch_size=128, shuffle=True, drop_last=True)
val_loader = DataLoader(va, batch_size=1600)

model = nn.Sequential(
    nn.BatchNorm1d(11),
    nn.Linear(11, 64), nn.ReLU(),
    nn.Linear(64, 64), nn.ReLU(),
    nn.Linear(64, 1),
)
pos = torch.stack([t for _, t in tr]).mean()
loss_fn = nn.BCEWithLogitsLoss(pos_weight=(1 - pos) / pos)
optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
EPOCHS = 25
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, total_steps=EPOCHS * len(train_loader))

for epoch in range(EPOCHS):
    model.train()
    tl = 0.0
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = loss_fn(model(xb), yb)
        loss.backward()
        optimizer.step()
        scheduler.step()
        tl += loss.item()
    model.eval()
    with torch.no_grad():
        xb, yb = next(iter(val_loader))
        out = model(xb)
        vl = loss_fn(out, yb).item()
        prob = torch.sigmoid(out).squeeze(1).numpy()
    t = yb.squeeze(1).numpy()
    if epoch % 2 == 0:
        print(f"epoch {epoch:2d} train {tl / len(train_loader):.3f} val {vl:.3f} AP {average_precision_score(t, prob):.3f} "
              f"recall {recall_score(t, prob > 0.5):.3f} precision {precision_score(t, prob > 0.5):.3f}")
