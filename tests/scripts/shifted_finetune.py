# pretrain on clean scans, then fine-tune the whole net gently on scans from a noisier, brighter device
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(30)
d = load_digits()
X = torch.tensor(d.data / 16.0, dtype=torch.float32)
y = torch.tensor(d.target)
perm = torch.randperm(len(X))
X, y = X[perm], y[perm]


def new_device(x):
    return (0.75 * x + 0.35 + 0.1 * torch.randn_like(x)).clamp(0, 1.2)


def train(model, opt, xs, ys, vx, vy, epochs, name, every):
    for e in range(epochs):
        model.train()
        order = torch.randperm(len(xs))
        s = 0.0
        for i in range(0, len(xs), 16):
            j = order[i:i + 16]
            loss = F.cross_entropy(model(xs[j]), ys[j])
            opt.zero_grad()
            loss.backward()
            opt.step()
            s += loss.item() * len(j)
        model.eval()
        with torch.no_grad():
            o = model(vx)
        if e % every == every - 1:
            print(f"{name} epoch {e + 1}: loss {s / len(xs):.4f} val {F.cross_entropy(o, vy).item():.4f} "
                  f"acc {(o.argmax(1) == vy).float().mean().item():.3f}")


model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Dropout(0.2), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, 10))
xa, ya, xb, yb, xv, yv = X[:700], y[:700], X[700:1400], y[700:1400], X[1400:], y[1400:]
train(model, torch.optim.AdamW(model.parameters(), lr=1e-3), xa, ya, xv, yv, 10, "pretrain", 5)

xb, xv = new_device(xb), new_device(xv)
with torch.no_grad():
    model.eval()
    print(f"on the new device before fine-tuning: {(model(xv).argmax(1) == yv).float().mean().item():.3f}")
opt = torch.optim.AdamW(model.parameters(), lr=5e-5, weight_decay=0.01)
train(model, opt, xb, yb, xv, yv, 30, "finetune", 3)
