"""An Ignite trainer and evaluator for the wine table, after the quick start."""

import argparse

import torch
from ignite.engine import Events, create_supervised_evaluator, create_supervised_trainer
from ignite.handlers import LRScheduler
from ignite.metrics import Accuracy, Loss
from sklearn.datasets import load_wine
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=0.05)
parser.add_argument("--momentum", type=float, default=0.9)
parser.add_argument("--weight-decay", type=float, default=1e-4)
parser.add_argument("--batch-size", type=int, default=16)
args = parser.parse_args()

torch.manual_seed(0)
wine = load_wine()
x, y = torch.tensor(wine.data, dtype=torch.float32), torch.tensor(wine.target)
order = torch.randperm(len(x))
train, valid = order[:130], order[130:]
mean, std = x[train].mean(0), x[train].std(0)
x = (x - mean) / std
train_loader = DataLoader(TensorDataset(x[train], y[train]), batch_size=args.batch_size, shuffle=True, drop_last=True)
val_loader = DataLoader(TensorDataset(x[valid], y[valid]), batch_size=64)
model = nn.Sequential(nn.Linear(13, 32), nn.ReLU(), nn.Linear(32, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=args.momentum, weight_decay=args.weight_decay)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.97)
criterion = nn.CrossEntropyLoss()
trainer = create_supervised_trainer(model, optimizer, criterion)
evaluator = create_supervised_evaluator(model, metrics={"accuracy": Accuracy(), "loss": Loss(criterion)})
trainer.add_event_handler(Events.EPOCH_COMPLETED, LRScheduler(scheduler))


@trainer.on(Events.EPOCH_COMPLETED(every=5))
def log_validation(engine):
    evaluator.run(val_loader)
    metrics = evaluator.state.metrics
    print(f"epoch {engine.state.epoch} loss {metrics['loss']:.4f} accuracy {metrics['accuracy']:.4f}")


trainer.run(train_loader, max_epochs=max(1, round(args.steps / len(train_loader))))
evaluator.run(val_loader)
print(f"validation loss {evaluator.state.metrics['loss']:.4f}")
