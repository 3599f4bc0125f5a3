"""2-D checkerboard: is a point on a black or a white field?"""
import torch
from torch import nn

torch.manual_seed(6)
n_train, n_val, fields = 4000, 1000, 4
points = torch.rand(n_train + n_val, 2)
labels = ((points * fields).floor().sum(1) % 2).unsqueeze(1)
points = points * 2 - 1
x_train, y_train = points[:n_train], labels[:n_train]
x_val, y_val = points[n_train:], labels[n_train:]

model = nn.Sequential(
    nn.Linear(2, 4),
    nn.ReLU(),
    nn.Linear(4, 4),
    nn.ReLU(),
    nn.Linear(4, 1),
)
print(sum(p.numel() for p in model.parameters()), "parameters")
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=40)
bce = nn.BCEWithLogitsLoss()

for epoch in range(40):
    model.train()
    epoch_loss = 0.0
    for idx in torch.randperm(n_train).split(64):
        optimizer.zero_grad()
        loss = bce(model(x_train[idx]), y_train[idx])
        loss.backward()
        optimizer.step()
        epoch_loss += loss.item() * len(idx) / n_train
    scheduler.step()
    model.eval()
    with torch.no_grad():
        logits = model(x_val)
        val_loss = bce(logits, y_val).item()
        val_acc = ((logits > 0).float() == y_val).float().mean().item()
    if epoch % 4 == 3:
        print(f"epoch {epoch + 1}: train {epoch_loss:.4f}, val {val_loss:.4f}, val acc {val_acc:.3f}")
