"""LSTM that predicts the nesting depth reached by a bracket string (0..5)."""
import numpy as np
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab=3, dim=16, hidden=48, code=6):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True)
        self.project = nn.Linear(hidden, code)

    def forward(self, ids):
        out, _ = self.lstm(self.emb(ids))
        return torch.tanh(self.project(out[:, -1]))


class Head(nn.Module):
    def __init__(self, code=6, classes=6):
        super().__init__()
        self.fc = nn.Linear(code, classes)

    def forward(self, z):
        return self.fc(z)


def make_data(n, length=16, seed=0):
    rng = np.random.default_rng(seed)
    seqs, depth = np.zeros((n, length), dtype=np.int64), np.zeros(n, dtype=np.int64)
    for i in range(n):
        level = deepest = 0
        for j in range(length):
            if level == 0 or (level < 5 and rng.random() < 0.5):
                level += 1
                seqs[i, j] = 1
            else:
                level -= 1
                seqs[i, j] = 2
            deepest = max(deepest, level)
        depth[i] = deepest
    return torch.from_numpy(seqs), torch.from_numpy(depth)


torch.manual_seed(9)
x, y = make_data(1500)
x_val, y_val = make_data(400, seed=1)
encoder, head = Encoder(), Head()
optimizer = torch.optim.Adam(encoder.parameters(), lr=4e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(20):
    perm = torch.randperm(len(x))
    encoder.train(); head.train()
    total = 0.0
    for idx in perm.split(50):
        loss = criterion(head(encoder(x[idx])), y[idx])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
        optimizer.step()
        total += loss.item() * len(idx)
    encoder.eval(); head.eval()
    with torch.no_grad():
        logits = head(encoder(x_val))
    print(f"epoch {epoch + 1:2d} train {total / len(x):.4f} val {criterion(logits, y_val).item():.4f} "
          f"acc {(logits.argmax(1) == y_val).float().mean().item():.3f}")
