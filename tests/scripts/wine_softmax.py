# softmax regression on the wine data, the whole training set in every step
import numpy as np
import torch
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

torch.manual_seed(1)
X, y = load_wine(return_X_y=True)
Xtr, Xte, ytr, yte = train_test_split(X, y, test_size=0.3, random_state=1, stratify=y)
mu, sd = Xtr.mean(0), Xtr.std(0)
Xtr = torch.tensor((Xtr - mu) / sd, dtype=torch.float32)
Xte = torch.tensor((Xte - mu) / sd, dtype=torch.float32)
ytr, yte = torch.tensor(ytr), torch.tensor(yte)

W = torch.zeros(13, 3, requires_grad=True)
b = torch.zeros(3, requires_grad=True)
opt = torch.optim.SGD([W, b], lr=0.5, weight_decay=1e-3)

for step in range(600):
    logits = Xtr @ W + b
    loss = torch.nn.functional.cross_entropy(logits, ytr)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        acc = (logits.argmax(1) == ytr).float().mean()
        print(f"{step:4d}  loss {loss.item():.4f}  train acc {acc.item():.3f}")

with torch.no_grad():
    te = Xte @ W + b
    print("test loss %.4f" % torch.nn.functional.cross_entropy(te, yte).item())
    print("test acc  %.3f" % (te.argmax(1) == yte).float().mean().item())
