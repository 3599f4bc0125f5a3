"""Unconditional DDPM training with diffusers, after the "Train a diffusion model" tutorial, on 8x8 digits."""

import argparse

import torch
import torch.nn.functional as F
from diffusers import DDPMScheduler, UNet2DModel
from diffusers.optimization import get_cosine_schedule_with_warmup
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--learning-rate", type=float, default=1e-3)
parser.add_argument("--lr-warmup-steps", type=int, default=20)
parser.add_argument("--train-batch-size", type=int, default=32)
args = parser.parse_args()

torch.manual_seed(0)
images = torch.tensor(load_digits().images, dtype=torch.float32).unsqueeze(1)
images = images / 8.0 - 1.0
loader = DataLoader(TensorDataset(images[:1600]), batch_size=args.train_batch_size, shuffle=True)
model = UNet2DModel(
    sample_size=8,
    in_channels=1,
    out_channels=1,
    layers_per_block=1,
    block_out_channels=(16, 32),
    norm_num_groups=8,
    down_block_types=("DownBlock2D", "DownBlock2D"),
    up_block_types=("UpBlock2D", "UpBlock2D"),
)
noise_scheduler = DDPMScheduler(num_train_timesteps=200)
optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
lr_scheduler = get_cosine_schedule_with_warmup(
    optimizer, num_warmup_steps=args.lr_warmup_steps, num_training_steps=args.steps
)
step = 0
while step < args.steps:
    for (clean_images,) in loader:
        noise = torch.randn(clean_images.shape)
        timesteps = torch.randint(0, noise_scheduler.config.num_train_timesteps, (clean_images.shape[0],))
        noisy_images = noise_scheduler.add_noise(clean_images, noise, timesteps)
        noise_pred = model(noisy_images, timesteps, return_dict=False)[0]
        loss = F.mse_loss(noise_pred, noise)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        lr_scheduler.step()
        optimizer.zero_grad()
        step += 1
        if step % 25 == 0:
            print(f"step {step} loss {loss.item():.4f} lr {lr_scheduler.get_last_lr()[0]:.2e}")
        if step >= args.steps:
            break
model.eval()
with torch.no_grad():
    torch.manual_seed(9)
    held_out = images[1600:]
    noise = torch.randn(held_out.shape)
    timesteps = torch.randint(0, 200, (len(held_out),))
    prediction = model(noise_scheduler.add_noise(held_out, noise, timesteps), timesteps).sample
print(f"held-out noise mse {F.mse_loss(prediction, noise).item():.4f}")
