"""Digit recognition with a tempered softmax."""
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
X, y = load_digits(return_X_y=True)
X = torch.tensor((X - X.mean()) / X.std()).float()
y = torch.tensor(y)
perm = torch.randperm(len(X))
x_train, y_train, x_val, y_val = X[perm[:1400]], y[perm[:1400]], X[perm[1400:]], y[perm[1400:]]


class Scorer(nn.Module):
    def __init__(self, temperature: float = 0.01):
        super().__init__()
        self.temperature = temperature
        self.body = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.body(x)) / self.temperature


model = Scorer()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(45):
    model.train()
    total = 0.0
    for idx in torch.randperm(len(x_train)).split(32):
        loss = F.cross_entropy(model(x_train[idx]), y_train[idx])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(idx) / len(x_train)
    model.eval()
    with torch.no_grad():
        out = model(x_val)
    print(f"epoch {epoch + 1:2d} train {total:.4f} val {F.cross_entropy(out, y_val).item():.4f} "
          f"acc {(out.argmax(1) == y_val).float().mean().item():.3f}")
