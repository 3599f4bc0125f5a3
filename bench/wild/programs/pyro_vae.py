"""Pyro's variational autoencoder example on 8x8 digits: SVI with Trace_ELBO."""

import argparse

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import SVI, Trace_ELBO
from pyro.optim import Adam
from sklearn.datasets import load_digits
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--learning-rate", type=float, default=2e-3)
parser.add_argument("--batch-size", type=int, default=64)
args = parser.parse_args()

pyro.set_rng_seed(0)
images = torch.tensor(load_digits().data / 16.0, dtype=torch.float32)
images = (images > 0.4).float()
train, test = images[:1500], images[1500:]


class VAE(nn.Module):
    def __init__(self, z_dim=8, hidden=64):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, hidden), nn.Softplus(), nn.Linear(hidden, 2 * z_dim))
        self.decoder = nn.Sequential(nn.Linear(z_dim, hidden), nn.Softplus(), nn.Linear(hidden, 64), nn.Sigmoid())
        self.z_dim = z_dim

    def model(self, x):
        pyro.module("decoder", self.decoder)
        with pyro.plate("data", x.shape[0]):
            z = pyro.sample("latent", dist.Normal(torch.zeros(x.shape[0], self.z_dim), 1.0).to_event(1))
            pyro.sample("obs", dist.Bernoulli(self.decoder(z)).to_event(1), obs=x)

    def guide(self, x):
        pyro.module("encoder", self.encoder)
        with pyro.plate("data", x.shape[0]):
            loc, log_scale = self.encoder(x).chunk(2, dim=1)
            pyro.sample("latent", dist.Normal(loc, log_scale.exp()).to_event(1))


vae = VAE()
svi = SVI(vae.model, vae.guide, Adam({"lr": args.learning_rate}), loss=Trace_ELBO())
for step in range(args.steps):
    batch = train[torch.randint(0, len(train), (args.batch_size,))]
    loss = svi.step(batch) / len(batch)
    if step % 25 == 24:
        print(f"step {step + 1} loss {loss:.3f} test {svi.evaluate_loss(test) / len(test):.3f}")
print(f"test negative elbo {svi.evaluate_loss(test) / len(test):.3f}")
