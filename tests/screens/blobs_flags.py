#!/usr/bin/env python
"""Classify Gaussian blobs. Usage: blobs_flags.py [--lr 0.1] [--weight-decay 5e-4] ..."""
import argparse

import torch
from sklearn.datasets import make_classification
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=0.1)
    p.add_argument("--weight-decay", type=float, default=5e-1)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--epochs", type=int, default=20)
    p.add_argument("--hidden", type=int, default=128)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


def build(args):
    return nn.Sequential(nn.Linear(20, args.hidden), nn.ReLU(),
                         nn.Linear(args.hidden, args.hidden), nn.ReLU(),
                         nn.Linear(args.hidden, 4))


def evaluate(model, loader, loss_fn):
    model.eval()
    loss = right = n = 0
    with torch.no_grad():
        for x, y in loader:
            out = model(x)
            loss += loss_fn(out, y).item() * len(y)
            right += (out.argmax(1) == y).sum().item()
            n += len(y)
    model.train()
    return loss / n, right / n


def main():
    args = get_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    X, y = make_classification(2400, 20, n_informative=12, n_classes=4, class_sep=1.5, random_state=7)
    X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y)
    X = (X - X[:2000].mean(0)) / X[:2000].std(0)
    train = DataLoader(TensorDataset(X[:2000], y[:2000]), args.batch_size, shuffle=True)
    test = DataLoader(TensorDataset(X[2000:], y[2000:]), 400)
    model = build(args)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9,
                                weight_decay=args.weight_decay)
    for epoch in range(args.epochs):
        for x, y in train:
            optimizer.zero_grad(set_to_none=True)
            loss = loss_fn(model(x), y)
            loss.backward()
            optimizer.step()
        vl, va = evaluate(model, test, loss_fn)
        print(f"[{epoch:02d}] loss={loss.item():.4f} val_loss={vl:.4f} val_acc={va:.3f}")


if __name__ == "__main__":
    main()
