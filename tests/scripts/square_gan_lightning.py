"""A small GAN for points on a ring of 8 Gaussians, with manual optimization."""
import math
import warnings

import lightning as L
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")


def ring(n):
    k = torch.randint(8, (n,)) * (2 * math.pi / 8)
    return torch.stack([k.cos(), k.sin()], 1) * 2 + 0.1 * torch.randn(n, 2)


class RingGAN(L.LightningModule):
    def __init__(self, z=8):
        super().__init__()
        self.automatic_optimization = False
        self.z = z
        self.gen = nn.Sequential(nn.Linear(z, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 2))
        self.critic = nn.Sequential(nn.Linear(2, 128), nn.LeakyReLU(0.2), nn.Linear(128, 128), nn.LeakyReLU(0.2),
                                    nn.Linear(128, 1))

    def sample(self, n):
        return self.gen(torch.randn(n, self.z))

    def training_step(self, batch, _):
        (real,) = batch
        opt_g, opt_d = self.optimizers()
        n = len(real)

        fake = self.sample(n).detach()
        real_in = real.requires_grad_(True)
        d_real, d_fake = self.critic(real_in), self.critic(fake)
        r1 = torch.autograd.grad(d_real.sum(), real_in, create_graph=True)[0].pow(2).sum(1).mean()
        d_loss = F.softplus(-d_real).mean() + F.softplus(d_fake).mean() + 0.05 * r1
        opt_d.zero_grad()
        self.manual_backward(d_loss)
        opt_d.step()

        g_loss = F.softplus(-self.critic(self.sample(n))).mean()
        opt_g.zero_grad()
        self.manual_backward(g_loss)
        opt_g.step()
        self.log_dict({"d_loss": d_loss, "g_loss": g_loss})

    def on_train_epoch_end(self):
        with torch.no_grad():
            x = self.sample(2000)
        centers = torch.tensor([[2 * math.cos(i * math.pi / 4), 2 * math.sin(i * math.pi / 4)] for i in range(8)])
        dist, which = torch.cdist(x, centers).min(1)
        good = dist < 0.4
        modes = sum(((which == i) & good).float().mean().item() > 0.02 for i in range(8))
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d}  d {m['d_loss']:.3f}  g {m['g_loss']:.3f}  good {good.float().mean():.2f}  modes {modes}/8")

    def configure_optimizers(self):
        return (torch.optim.Adam(self.gen.parameters(), lr=1e-3, betas=(0.5, 0.99)),
                torch.optim.Adam(self.critic.parameters(), lr=1e-3, betas=(0.5, 0.99)))


if __name__ == "__main__":
    L.seed_everything(8)
    dl = DataLoader(TensorDataset(ring(12800)), batch_size=128, shuffle=True)
    L.Trainer(max_epochs=12, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
              enable_model_summary=False).fit(RingGAN(), dl)
