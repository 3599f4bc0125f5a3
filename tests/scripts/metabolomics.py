import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

# 200 patients, 300 metabolites, 3 disease stages
X, y = make_classification(n_samples=200, n_features=300, n_informative=6, n_redundant=4, n_classes=3,
                           n_clusters_per_class=1, class_sep=2.0, flip_y=0.15, random_state=21)
X_tr, X_va, y_tr, y_va = train_test_split(X, y, test_size=0.3, random_state=21, stratify=y)
m, s = X_tr.mean(0), X_tr.std(0)
X_tr, X_va = (X_tr - m) / s, (X_va - m) / s
to_f = lambda a: torch.tensor(a, dtype=torch.float32)
X_tr, X_va, y_tr, y_va = to_f(X_tr), to_f(X_va), torch.tensor(y_tr), torch.tensor(y_va)

torch.manual_seed(21)
hidden = 512
model = nn.Sequential(
    nn.Linear(300, hidden), nn.ReLU(),
    nn.Linear(hidden, hidden), nn.ReLU(),
    nn.Linear(hidden, 3))
print("parameters:", sum(p.numel() for p in model.parameters()))
opt = torch.optim.Adam(model.parameters(), lr=5e-4)
ce = nn.CrossEntropyLoss()
loader = DataLoader(TensorDataset(X_tr, y_tr), batch_size=16, shuffle=True)

history = {"loss": [], "val_loss": [], "acc": [], "val_acc": []}
for epoch in range(80):
    model.train()
    l = c = 0
    for xb, yb in loader:
        out = model(xb)
        loss = ce(out, yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
        l += loss.item() * len(xb)
        c += (out.argmax(1) == yb).sum().item()
    model.eval()
    with torch.no_grad():
        vo = model(X_va)
    history["loss"].append(l / len(X_tr))
    history["acc"].append(c / len(X_tr))
    history["val_loss"].append(ce(vo, y_va).item())
    history["val_acc"].append((vo.argmax(1) == y_va).float().mean().item())
    if epoch % 8 == 7:
        print(epoch + 1, {k: round(v[-1], 4) for k, v in history.items()})
print("best val_loss", min(history["val_loss"]), "at epoch", int(np.argmin(history["val_loss"])) + 1)
