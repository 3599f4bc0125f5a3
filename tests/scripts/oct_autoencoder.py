"""Denoising autoencoder for 48x48 OCT slices."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def slices(n, gen):
    """bright wavy layers on dark ground"""
    yy = torch.linspace(0, 1, 48).view(1, 48, 1)
    xx = torch.linspace(0, 1, 48).view(1, 1, 48)
    img = torch.zeros(n, 48, 48)
    for _ in range(3):
        depth = torch.rand(n, 1, 1, generator=gen) * 0.8 + 0.1
        amp = torch.rand(n, 1, 1, generator=gen) * 0.1
        ph = torch.rand(n, 1, 1, generator=gen) * 6.28
        img += torch.exp(-((yy - depth - amp * torch.sin(2 * math.pi * xx + ph)) / 0.04) ** 2)
    return img.clamp(0, 1).unsqueeze(1)


class DAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU())
        self.dec = nn.Sequential(nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1), nn.ReLU(), nn.ConvTranspose2d(8, 1, 4, stride=2, padding=1))

    def forward(self, x):
        z = self.enc(x)
        return self.dec(z), z


class Trainer:
    def __init__(self, model, lr=2e-3, batch=32):
        self.model, self.batch = model, batch
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.gen = torch.Generator().manual_seed(50)
        self.history = {"loss": [], "recon": [], "code": []}

    def step(self):
        clean = slices(self.batch, self.gen)
        noisy = clean + 0.3 * torch.randn(clean.shape, generator=self.gen)
        recon, code = self.model(noisy)
        loss = F.mse_loss(recon, clean)
        self.opt.zero_grad(set_to_none=True)
        loss.backward()
        self.opt.step()
        self.history["loss"].append(loss)
        self.history["recon"].append(recon)
        self.history["code"].append(code)
        return loss

    def validate(self):
        g = torch.Generator().manual_seed(51)
        self.model.eval()
        with torch.no_grad():
            clean = slices(64, g)
            out, _ = self.model(clean + 0.3 * torch.randn(clean.shape, generator=g))
            v = F.mse_loss(out, clean).item()
        self.model.train()
        return v

    def fit(self, steps=500, every=100):
        for s in range(1, steps + 1):
            self.step()
            if s % every == 0:
                recent = torch.stack(self.history["loss"][-every:]).mean().item()
                print(f"step {s:4d}  train {recent:.5f}  val {self.validate():.5f}")
        spread = torch.stack([c.std() for c in self.history["code"][-20:]]).mean().item()
        print(f"code spread {spread:.3f}")


if __name__ == "__main__":
    torch.manual_seed(50)
    Trainer(DAE()).fit()
