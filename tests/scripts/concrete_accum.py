"""Strength regression with small micro-batches and gradient accumulation."""
import torch
from torch import nn

torch.manual_seed(19)
N, D = 3000, 8
X = torch.randn(N, D)
w = torch.randn(D, 3)
y = torch.tanh(X @ w[:, 0] * 0.6) + 0.5 * torch.sin(X @ w[:, 1] * 0.5) + 0.15 * (X @ w[:, 2] * 0.3) ** 2
y = ((y - y.mean()) / y.std() + 0.05 * torch.randn(N)).unsqueeze(1)
X_train, y_train, X_val, y_val = X[:2560], y[:2560], X[2560:], y[2560:]

MICRO_BATCH = 8
ACCUM_STEPS = 16
EPOCHS = 30

model = nn.Sequential(nn.Linear(D, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.03, momentum=0.9)
loss_fn = nn.MSELoss()

for epoch in range(EPOCHS):
    model.train()
    perm = torch.randperm(len(X_train))
    total = 0.0
    optimizer.zero_grad()
    for i, idx in enumerate(perm.split(MICRO_BATCH)):
        loss = loss_fn(model(X_train[idx]), y_train[idx])
        loss.backward()
        total += loss.item() * len(idx)
        if (i + 1) % ACCUM_STEPS == 0:
            optimizer.step()
            optimizer.zero_grad()
    model.eval()
    with torch.no_grad():
        val = loss_fn(model(X_val), y_val).item()
    print(f"epoch {epoch + 1:2d}  train {total / len(X_train):.4f}  val {val:.4f}")
