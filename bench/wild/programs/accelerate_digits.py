"""The training loop of the Accelerate documentation, with gradient accumulation, on handwritten digits."""

import argparse

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.utils import set_seed
from sklearn.datasets import load_digits
from torch import nn
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200, help="optimizer steps")
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--warmup", type=int, default=10)
parser.add_argument("--batch-size", type=int, default=16)
parser.add_argument("--accumulation", type=int, default=4)
args = parser.parse_args()

set_seed(11)
accelerator = Accelerator(gradient_accumulation_steps=args.accumulation, cpu=True)
digits = load_digits()
features = torch.tensor(digits.data, dtype=torch.float32)
features = (features - features.mean(0)) / (features.std(0) + 1e-6)
labels = torch.tensor(digits.target)
order = torch.randperm(len(features))
train, test = order[:1400], order[1400:]
train_loader = DataLoader(TensorDataset(features[train], labels[train]), batch_size=args.batch_size, shuffle=True)
test_loader = DataLoader(TensorDataset(features[test], labels[test]), batch_size=200)

model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
scheduler = LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / args.warmup))
model, optimizer, train_loader, test_loader, scheduler = accelerator.prepare(
    model, optimizer, train_loader, test_loader, scheduler
)

done = 0
while done < args.steps:
    model.train()
    for inputs, targets in train_loader:
        with accelerator.accumulate(model):
            loss = F.cross_entropy(model(inputs), targets)
            accelerator.backward(loss)
            if accelerator.sync_gradients:
                accelerator.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
        done += accelerator.sync_gradients
        if done >= args.steps:
            break
    model.eval()
    right = total = 0
    with torch.no_grad():
        for inputs, targets in test_loader:
            right += (model(inputs).argmax(1) == targets).sum().item()
            total += len(targets)
    accelerator.print(f"step {done} loss {loss.item():.4f} accuracy {right / total:.4f}")
accelerator.print(f"accuracy {right / total:.4f}")
