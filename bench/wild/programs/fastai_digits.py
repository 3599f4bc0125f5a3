"""fastai's Learner with the one-cycle policy, on handwritten digits from scikit-learn."""

import argparse

import torch
from fastai.data.core import DataLoaders
from fastai.data.load import DataLoader
from fastai.learner import Learner
from fastai.losses import CrossEntropyLossFlat
from fastai.metrics import accuracy
from fastai.torch_core import set_seed
from fastai.callback.schedule import *
from sklearn.datasets import load_digits
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=5e-3)
parser.add_argument("--wd", type=float, default=0.01)
parser.add_argument("--bs", type=int, default=64)
args = parser.parse_args()

set_seed(0)
digits = load_digits()
x = torch.tensor(digits.images / 16.0, dtype=torch.float32).unsqueeze(1)
y = torch.tensor(digits.target)
train = [(x[i], y[i]) for i in range(1400)]
valid = [(x[i], y[i]) for i in range(1400, len(x))]
dls = DataLoaders(
    DataLoader(train, bs=args.bs, shuffle=True, drop_last=True, num_workers=0),
    DataLoader(valid, bs=256, num_workers=0),
)
model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1),
    nn.BatchNorm2d(16),
    nn.ReLU(),
    nn.Conv2d(16, 32, 3, stride=2, padding=1),
    nn.BatchNorm2d(32),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(2),
    nn.Flatten(),
    nn.Linear(128, 10),
)
learn = Learner(dls, model, loss_func=CrossEntropyLossFlat(), metrics=accuracy, wd=args.wd)
with learn.no_bar(), learn.no_logging():
    learn.fit_one_cycle(max(1, round(args.steps / len(dls.train))), args.lr)
for epoch, values in enumerate(learn.recorder.values):
    print(f"epoch {epoch} train {values[0]:.4f} valid {values[1]:.4f} accuracy {values[2]:.4f}")
print(f"accuracy {learn.recorder.values[-1][2]:.4f}")
