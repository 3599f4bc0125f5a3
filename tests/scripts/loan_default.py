import numpy as np
import torch
import torch.nn as nn
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(8)
torch.manual_seed(8)

# ---- loans: 24 application features, about 12% default
N, D = 1500, 24
features = rng.normal(size=(N, D)).astype(np.float32)
risk = 0.9 * features[:, 0] - 0.7 * features[:, 3] + 0.6 * features[:, 5] * features[:, 6]
default = (risk + rng.normal(0, 1.6, N) > np.quantile(risk, 0.93)).astype(np.int64)
print("loans:", N, "defaults:", default.sum())

# ---- balance the classes
pos = np.where(default == 1)[0]
neg = np.where(default == 0)[0]
pos = rng.choice(pos, size=len(neg), replace=True)
idx = np.concatenate([neg, pos])
X, y = features[idx], default[idx]

X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.25, random_state=8, stratify=y)
scaler = StandardScaler().fit(X_train)
X_train = torch.tensor(scaler.transform(X_train))
X_val = torch.tensor(scaler.transform(X_val))
y_train, y_val = torch.tensor(y_train), torch.tensor(y_val)

model = nn.Sequential(nn.Linear(D, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_fn = nn.CrossEntropyLoss()
loader = DataLoader(TensorDataset(X_train, y_train), batch_size=64, shuffle=True)

for epoch in range(30):
    model.train()
    tl, tc = 0.0, 0
    for xb, yb in loader:
        optimizer.zero_grad()
        out = model(xb)
        loss = loss_fn(out, yb)
        loss.backward()
        optimizer.step()
        tl += loss.item() * len(xb)
        tc += (out.argmax(1) == yb).sum().item()
    model.eval()
    with torch.no_grad():
        out = model(X_val)
        vl = loss_fn(out, y_val).item()
        va = (out.argmax(1) == y_val).float().mean().item()
    print(f"{epoch:02d} train_loss={tl / len(X_train):.3f} train_acc={tc / len(X_train):.3f} val_loss={vl:.3f} val_acc={va:.3f}")
