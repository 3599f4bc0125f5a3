"""Dictionary learning with a top-k sparse autoencoder on synthetic superposed features."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(7)

D_MODEL, N_TRUE, N_DICT, K = 64, 128, 144, 8
STEPS, BATCH = 1500, 256

true_dict = F.normalize(torch.randn(N_TRUE, D_MODEL), dim=1)


def sample_activations(n):
    """Every row is a sum of a handful of unit directions with positive strengths."""
    mask = (torch.rand(n, N_TRUE) < 0.03).float()
    strength = mask * (0.5 + torch.rand(n, N_TRUE))
    return strength @ true_dict


class TopKSAE(nn.Module):
    def __init__(self, d, m, k):
        super().__init__()
        self.k = k
        self.b_dec = nn.Parameter(torch.zeros(d))
        self.enc = nn.Linear(d, m)
        self.act = nn.ReLU()
        self.dec = nn.Linear(m, d, bias=False)
        with torch.no_grad():
            self.dec.weight.copy_(F.normalize(self.dec.weight, dim=0))
            self.enc.weight.copy_(self.dec.weight.t())
            self.enc.bias.zero_()

    def forward(self, x):
        pre = self.act(self.enc(x - self.b_dec))
        vals, idx = pre.topk(self.k, dim=-1)
        z = torch.zeros_like(pre).scatter(-1, idx, vals)
        return self.dec(z) + self.b_dec, z


sae = TopKSAE(D_MODEL, N_DICT, K)
opt = torch.optim.Adam(sae.parameters(), lr=4e-3, betas=(0.9, 0.99))
sched = torch.optim.lr_scheduler.LambdaLR(
    opt, lambda s: min(1.0, (s + 1) / 50) * (0.5 * (1 + math.cos(math.pi * s / STEPS)) * 0.95 + 0.05))

for step in range(STEPS):
    x = sample_activations(BATCH)
    recon, z = sae(x)
    loss = F.mse_loss(recon, x)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
    with torch.no_grad():
        sae.dec.weight.copy_(F.normalize(sae.dec.weight, dim=0))
    if step % 100 == 0 or step == STEPS - 1:
        fvu = (loss / x.var()).item()
        l0 = (z > 0).float().sum(-1).mean().item()
        print(f"step {step:5d}  mse {loss.item():.5f}  unexplained {fvu:.3f}  L0 {l0:.1f}")

with torch.no_grad():
    x = sample_activations(4096)
    recon, z = sae(x)
    sims = (F.normalize(sae.dec.weight, dim=0).t() @ true_dict.t()).max(0).values
    print(f"held-out unexplained variance {((recon - x).pow(2).mean() / x.var()).item():.3f}")
    print(f"true features recovered (cos>0.9): {(sims > 0.9).float().mean().item():.2f}")
