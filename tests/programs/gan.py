import torch
import torch.nn as nn
from reproducible import fingerprint, seed_everything

torch.set_num_threads(1)
seed_everything(99)

LATENT = 4

generator = nn.Sequential(nn.Linear(LATENT, 16), nn.LeakyReLU(0.2), nn.Linear(16, 2))
discriminator = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(0.2), nn.Linear(16, 1))
bce = nn.BCEWithLogitsLoss()
g_optimizer = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
d_optimizer = torch.optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.5, 0.999))


def real_batch(n):
    angle = torch.rand(n) * 6.2831853
    return torch.stack([angle.cos(), angle.sin()], dim=1) + 0.05 * torch.randn(n, 2)


for step in range(70):
    real = real_batch(32)
    fake = generator(torch.randn(32, LATENT))

    d_optimizer.zero_grad()
    real.requires_grad_()
    on_real = discriminator(real)
    (slope,) = torch.autograd.grad(on_real.sum(), real, create_graph=True)
    penalty = slope.pow(2).sum(1).mean()
    on_fake = discriminator(fake.detach())
    d_loss = bce(on_real, torch.ones(32, 1)) + bce(on_fake, torch.zeros(32, 1)) + 5.0 * penalty
    d_loss.backward()
    d_optimizer.step()

    g_optimizer.zero_grad()
    g_loss = bce(discriminator(fake), torch.ones(32, 1))
    g_loss.backward()
    g_optimizer.step()

    print(f"step {step}: D loss {d_loss.item()!r}, G loss {g_loss.item()!r}")

print("hash", fingerprint(generator, discriminator, g_optimizer, d_optimizer))
