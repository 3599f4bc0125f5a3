"""Digit classifier trained on labels from our annotation portal (one vote per picture)."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

SEED = 2024
torch.manual_seed(SEED)


def portal_votes(truth, seed):
    """Each picture went to one of 20 volunteers."""
    r = np.random.default_rng(seed)
    care = r.uniform(0.25, 0.85, 20)
    who = r.integers(0, 20, len(truth))
    ok = r.random(len(truth)) < care[who]
    return np.where(ok, truth, r.integers(0, 10, len(truth)))


class SmallCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1 = nn.Conv2d(1, 16, 3, padding=1)
        self.c2 = nn.Conv2d(16, 32, 3, padding=1)
        self.fc1 = nn.Linear(32 * 4, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.c1(x)), 2)
        x = F.max_pool2d(F.relu(self.c2(x)), 2)
        return self.fc2(F.relu(self.fc1(x.flatten(1))))


digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1)
images = (images - images.mean()) / images.std()
votes = torch.tensor(portal_votes(digits.target, SEED))
g = torch.Generator().manual_seed(SEED)
order = torch.randperm(len(images), generator=g)
tr, va = order[:1400], order[1400:]

train_loader = DataLoader(TensorDataset(images[tr], votes[tr]), batch_size=32, shuffle=True)
val_loader = DataLoader(TensorDataset(images[va], votes[va]), batch_size=128)

model = SmallCNN()
opt = torch.optim.Adam(model.parameters(), lr=1e-3)


def evaluate():
    model.eval()
    loss = correct = 0
    with torch.no_grad():
        for x, y in val_loader:
            out = model(x)
            loss += F.cross_entropy(out, y, reduction="sum").item()
            correct += (out.argmax(1) == y).sum().item()
    return loss / len(va), correct / len(va)


for epoch in range(20):
    model.train()
    tot = hit = 0
    for x, y in train_loader:
        opt.zero_grad()
        out = model(x)
        loss = F.cross_entropy(out, y)
        loss.backward()
        opt.step()
        tot += loss.item() * len(x)
        hit += (out.argmax(1) == y).sum().item()
    vl, vacc = evaluate()
    print(f"epoch {epoch + 1}/20 - loss: {tot / len(tr):.4f} - acc: {hit / len(tr):.4f} - val_loss: {vl:.4f} - val_acc: {vacc:.4f}")
