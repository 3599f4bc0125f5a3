"""Fine-tune a head on top of a pre-trained feature extractor."""

import torch
from sklearn.datasets import load_digits
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
torch.manual_seed(4)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
        self.head = nn.Linear(64, 10)

    def forward(self, x):
        return self.head(self.backbone(x))


def loaders():
    d = load_digits()
    x = torch.tensor(d.data / 16, dtype=torch.float32)
    y = torch.tensor(d.target)
    p = torch.randperm(len(x))
    return (DataLoader(TensorDataset(x[p[:1300]], y[p[:1300]]), 50, shuffle=True),
            DataLoader(TensorDataset(x[p[1300:]], y[p[1300:]]), 500))


model = Classifier()
train, val = loaders()
optimizer = optim.Adam(model.head.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
for epoch in range(30):
    model.train()
    for x, y in train:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        x, y = next(iter(val))
        out = model(x)
        print(f"epoch {epoch} loss {loss.item():.3f} val_loss {criterion(out, y).item():.3f} "
              f"val_acc {(out.argmax(1) == y).float().mean().item():.3f}")
