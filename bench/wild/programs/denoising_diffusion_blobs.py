"""Denoising diffusion on generated images with lucidrains' package, in a loop of one's own."""

import argparse

import torch
from denoising_diffusion_pytorch import GaussianDiffusion, Unet

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--batch-size", type=int, default=8)
parser.add_argument("--accumulate", type=int, default=1)
parser.add_argument("--clip", type=float, default=1.0)
args = parser.parse_args()

torch.manual_seed(0)


def blobs(count):
    """One soft disk an image, values from 0 to 1."""
    rows, columns = torch.meshgrid(torch.arange(16.0), torch.arange(16.0), indexing="ij")
    center = 4 + 8 * torch.rand(2, count, 1, 1)
    distance = (rows - center[0]) ** 2 + (columns - center[1]) ** 2
    return torch.exp(-distance / (4 + 8 * torch.rand(count, 1, 1))).unsqueeze(1)


images, held_out = blobs(1000), blobs(128)
model = Unet(dim=8, dim_mults=(1, 2), channels=1, flash_attn=False, attn_heads=2, attn_dim_head=8)
diffusion = GaussianDiffusion(model, image_size=16, timesteps=100)
optimizer = torch.optim.Adam(diffusion.parameters(), lr=args.lr, betas=(0.9, 0.99))
for step in range(args.steps):
    total = 0.0
    for _ in range(args.accumulate):
        picked = images[torch.randint(0, len(images), (args.batch_size,))]
        loss = diffusion(picked)
        loss = loss / args.accumulate
        total += loss.item()
        loss.backward()
    torch.nn.utils.clip_grad_norm_(diffusion.parameters(), args.clip)
    optimizer.step()
    optimizer.zero_grad()
    if step % 25 == 24:
        print(f"step {step + 1} loss {total:.4f}")
with torch.no_grad():
    torch.manual_seed(3)
    print(f"held-out loss {sum(diffusion(held_out).item() for _ in range(5)) / 5:.4f}")
