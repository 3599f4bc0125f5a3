# decode the movement direction (8 classes) from spike counts of 50 neurons
import time

import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(33)
rng = np.random.default_rng(33)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

pref = rng.uniform(0, 2 * np.pi, 50)


def trials(n):
    d = rng.integers(0, 8, n)
    rate = 4 + 2.2 * np.cos(d[:, None] * np.pi / 4 - pref)
    x = np.sqrt(rng.poisson(rate))
    return torch.tensor((x - 2) / 0.6, dtype=torch.float32, device=device), torch.tensor(d, device=device)


x_train, y_train = trials(6400)
x_val, y_val = trials(1600)

model = nn.Sequential(nn.Linear(50, 64), nn.ReLU(), nn.Linear(64, 8)).to(device)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
ce = nn.CrossEntropyLoss(reduction="none")

for epoch in range(8):
    t0 = time.time()
    model.train()
    correct, seen, loss_sum = 0, 0, 0.0
    soft_confusion = np.zeros((8, 8))
    for idx in torch.randperm(len(x_train), device=device).split(200):
        x, y = x_train[idx], y_train[idx]
        out = model(x)
        losses = ce(out, y)
        opt.zero_grad()
        losses.mean().backward()
        opt.step()
        probs = out.softmax(1)
        for k in range(len(y)):
            correct += (probs[k].argmax() == y[k]).item()
            loss_sum += losses[k].item()
            for c in range(8):
                soft_confusion[y[k].item(), c] += probs[k, c].detach().cpu().item()
        seen += len(y)
    model.eval()
    with torch.no_grad():
        out = model(x_val)
        vloss, vacc = ce(out, y_val).mean().item(), (out.argmax(1) == y_val).float().mean().item()
    near = sum(soft_confusion[i, (i + 1) % 8] + soft_confusion[i, i - 1] for i in range(8)) / seen
    print(f"epoch {epoch}: loss {loss_sum / seen:.4f} acc {correct / seen:.4f} neighbour mass {near:.3f} "
          f"val loss {vloss:.4f} val acc {vacc:.4f} ({time.time() - t0:.1f}s)")
