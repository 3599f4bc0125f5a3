"""SimCLR with Lightly's building blocks on handwritten digits, judged by a linear probe."""

import argparse

import torch
from lightly.loss import NTXentLoss
from lightly.models.modules import SimCLRProjectionHead
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=0.06)
parser.add_argument("--temperature", type=float, default=0.5)
parser.add_argument("--batch-size", type=int, default=128)
args = parser.parse_args()

torch.manual_seed(0)
digits = load_digits()
images = torch.tensor(digits.images / 16.0, dtype=torch.float32).unsqueeze(1)
labels = digits.target


class SimCLR(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(
            nn.Conv2d(1, 32, 3, padding=1),
            nn.BatchNorm2d(32),
            nn.ReLU(),
            nn.Conv2d(32, 64, 3, stride=2, padding=1),
            nn.BatchNorm2d(64),
            nn.ReLU(),
            nn.AdaptiveAvgPool2d(2),
            nn.Flatten(),
        )
        self.projection_head = SimCLRProjectionHead(256, 128, 32)

    def forward(self, x):
        return self.projection_head(self.backbone(x))


def view(batch):
    """A random shift by at most one pixel, noise and a change of contrast."""
    dy, dx = torch.randint(-1, 2, (2,)).tolist()
    batch = batch.roll((dy, dx), dims=(2, 3))
    return batch * (0.7 + 0.6 * torch.rand(len(batch), 1, 1, 1)) + 0.1 * torch.randn_like(batch)


model = SimCLR()
criterion = NTXentLoss(temperature=args.temperature)
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
model.train()
for step in range(args.steps):
    batch = images[torch.randint(0, 1400, (args.batch_size,))]
    loss = criterion(model(view(batch)), model(view(batch)))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if step % 25 == 24:
        print(f"step {step + 1} loss {loss.item():.4f}")
model.eval()
with torch.no_grad():
    features = nn.functional.normalize(model.backbone(images), dim=1).numpy()
probe = LogisticRegression(max_iter=500).fit(features[:1400], labels[:1400])
print(f"contrastive loss {loss.item():.4f}")
print(f"linear probe accuracy {probe.score(features[1400:], labels[1400:]):.4f}")
