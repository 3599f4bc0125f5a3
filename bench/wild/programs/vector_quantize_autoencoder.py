"""A small autoencoder with a codebook of vector-quantize-pytorch, after its autoencoder example, on digits."""

import argparse

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from vector_quantize_pytorch import VectorQuantize

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--alpha", type=float, default=1.0, help="weight of the commitment loss")
parser.add_argument("--codes", type=int, default=64)
parser.add_argument("--batch-size", type=int, default=64)
args = parser.parse_args()

torch.manual_seed(3)
images = torch.tensor(load_digits().images / 16.0, dtype=torch.float32).unsqueeze(1)
loader = DataLoader(TensorDataset(images[:1500]), batch_size=args.batch_size, shuffle=True)
test = images[1500:]


class SimpleVQAutoEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.GELU(), nn.Conv2d(16, 16, 3, stride=2, padding=1)
        )
        self.quantizer = VectorQuantize(dim=16, codebook_size=args.codes, accept_image_fmap=True)
        self.decoder = nn.Sequential(
            nn.Upsample(scale_factor=2), nn.Conv2d(16, 16, 3, padding=1), nn.GELU(), nn.Conv2d(16, 1, 3, padding=1)
        )

    def forward(self, x):
        x, indices, commit_loss = self.quantizer(self.encoder(x))
        return self.decoder(x).clamp(-1, 1.5), indices, commit_loss


model = SimpleVQAutoEncoder()
optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
step = 0
while step < args.steps:
    model.train()
    for (x,) in loader:
        optimizer.zero_grad()
        out, indices, commit_loss = model(x)
        rec_loss = (out - x).abs().mean()
        (rec_loss + args.alpha * commit_loss).sum().backward()
        optimizer.step()
        step += 1
        if step % 25 == 0:
            print(f"step {step} rec loss {rec_loss.item():.4f} commit {commit_loss.item():.4f} codes {indices.unique().numel()}")
        if step >= args.steps:
            break
model.eval()
with torch.no_grad():
    out, _, _ = model(test)
print(f"test reconstruction error {(out - test).abs().mean().item():.4f}")
