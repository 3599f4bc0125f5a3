"""Embeddings of digits with pytorch-metric-learning: triplet margin loss with a miner, judged by neighbors."""

import argparse

import torch
from pytorch_metric_learning import losses, miners
from sklearn.datasets import load_digits
from sklearn.neighbors import KNeighborsClassifier
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--margin", type=float, default=0.2)
parser.add_argument("--batch-size", type=int, default=64)
args = parser.parse_args()

torch.manual_seed(0)
digits = load_digits()
x, y = torch.tensor(digits.data / 16.0, dtype=torch.float32), torch.tensor(digits.target)
x_train, y_train, x_test, y_test = x[:1300], y[:1300], x[1300:], y[1300:]
loader = DataLoader(TensorDataset(x_train, y_train), batch_size=args.batch_size, shuffle=True)
trunk = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 8))
mining_func = miners.TripletMarginMiner(margin=args.margin, type_of_triplets="all")
loss_func = losses.TripletMarginLoss(margin=args.margin)
optimizer = torch.optim.Adam(trunk.parameters(), lr=args.lr)
step = 0
while step < args.steps:
    for data, labels in loader:
        optimizer.zero_grad()
        embeddings = trunk(data)
        indices_tuple = mining_func(embeddings, labels)
        loss = loss_func(embeddings, labels, indices_tuple)
        loss.backward()
        optimizer.step()
        step += 1
        if step % 25 == 0:
            print(f"step {step} loss {loss.item():.4f} triplets {mining_func.num_triplets}")
        if step >= args.steps:
            break
with torch.no_grad():
    train_embeddings, test_embeddings = trunk(x_train), trunk(x_test)
neighbors = KNeighborsClassifier(1).fit(train_embeddings.numpy(), y_train.numpy())
print(f"precision at 1 {neighbors.score(test_embeddings.numpy(), y_test.numpy()):.4f}")
