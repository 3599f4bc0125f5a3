"""Exact Gaussian process regression, from GPyTorch's first tutorial."""

import argparse
import math

import gpytorch
import torch

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()

torch.manual_seed(0)
train_x = torch.linspace(0, 1, 80)
train_y = torch.sin(train_x * (2 * math.pi)) + torch.randn(80) * 0.2


class ExactGPModel(gpytorch.models.ExactGP):
    def __init__(self, train_x, train_y, likelihood):
        super().__init__(train_x, train_y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = ExactGPModel(train_x, train_y, likelihood)
model.train()
likelihood.train()
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
mll = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
for i in range(args.steps):
    optimizer.zero_grad()
    output = model(train_x)
    loss = -mll(output, train_y)
    loss.backward()
    if i % 20 == 19:
        print(f"iter {i + 1}/{args.steps} loss {loss.item():.3f} noise {likelihood.noise.item():.3f}")
    optimizer.step()
model.eval()
likelihood.eval()
with torch.no_grad():
    test_x = torch.linspace(0, 1, 51)
    mean = likelihood(model(test_x)).mean
print(f"rmse {(mean - torch.sin(test_x * (2 * math.pi))).pow(2).mean().sqrt().item():.4f}")
