"""LoRA on a multilayer perceptron, as in PEFT's guide to custom models."""

import argparse

import peft
import torch
from sklearn.datasets import make_classification
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--rank", type=int, default=8)
parser.add_argument("--batch-size", type=int, default=64)
args = parser.parse_args()

torch.manual_seed(0)
x, y = make_classification(12400, 20, n_informative=12, n_classes=2, class_sep=1.2, random_state=2)
x = torch.tensor(x, dtype=torch.float32)
x = (x - x.mean(0)) / x.std(0)
y = torch.tensor(y)
train_loader = DataLoader(TensorDataset(x[:12000], y[:12000]), batch_size=args.batch_size, shuffle=True)
eval_loader = DataLoader(TensorDataset(x[12000:], y[12000:]), batch_size=400)


class MLP(nn.Module):
    def __init__(self, hidden=200):
        super().__init__()
        self.seq = nn.Sequential(
            nn.Linear(20, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, 2),
        )

    def forward(self, inputs):
        return self.seq(inputs)


base = MLP()
config = peft.LoraConfig(r=args.rank, target_modules=["seq.0", "seq.2"], modules_to_save=["seq.4"])
peft_model = peft.get_peft_model(base, config)
peft_model.print_trainable_parameters()
optimizer = torch.optim.Adam([p for p in peft_model.parameters() if p.requires_grad], lr=args.lr)
criterion = nn.CrossEntropyLoss()

step = 0
while step < args.steps:
    peft_model.train()
    for inputs, targets in train_loader:
        loss = criterion(peft_model(inputs), targets)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        step += 1
        if step >= args.steps:
            break
    peft_model.eval()
    with torch.no_grad():
        for inputs, targets in eval_loader:
            logits = peft_model(inputs)
            eval_loss = criterion(logits, targets).item()
            accuracy = (logits.argmax(1) == targets).float().mean().item()
    print(f"step {step} train loss {loss.item():.4f} eval loss {eval_loss:.4f} accuracy {accuracy:.4f}")
print(f"accuracy {accuracy:.4f}")
