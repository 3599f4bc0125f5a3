"""Stochastic variational Gaussian process regression with mini-batches, from GPyTorch's SVGP tutorial."""

import argparse

import gpytorch
import torch
from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy
from sklearn.datasets import load_diabetes
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=0.02)
parser.add_argument("--batch-size", type=int, default=64)
args = parser.parse_args()

torch.manual_seed(1)
x, y = load_diabetes(return_X_y=True)
x, y = torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
x, y = (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()
order = torch.randperm(len(x))
x_train, y_train, x_test, y_test = x[order[:350]], y[order[:350]], x[order[350:]], y[order[350:]]
train_loader = DataLoader(TensorDataset(x_train, y_train), batch_size=args.batch_size, shuffle=True)


class GPModel(gpytorch.models.ApproximateGP):
    def __init__(self, inducing_points):
        distribution = CholeskyVariationalDistribution(inducing_points.size(0))
        super().__init__(VariationalStrategy(self, inducing_points, distribution, learn_inducing_locations=True))
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


model = GPModel(x_train[:50].clone())
model.covar_module.base_kernel.lengthscale = 3.0
likelihood = gpytorch.likelihoods.GaussianLikelihood()
optimizer = torch.optim.Adam([{"params": model.parameters()}, {"params": likelihood.parameters()}], lr=args.lr)
mll = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=y_train.size(0))
step = 0
while step < args.steps:
    for x_batch, y_batch in train_loader:
        optimizer.zero_grad()
        loss = -mll(model(x_batch), y_batch)
        loss.backward()
        optimizer.step()
        step += 1
        if step % 25 == 0:
            print(f"step {step} negative elbo {loss.item():.4f}")
        if step >= args.steps:
            break
model.eval()
with torch.no_grad():
    mse = (model(x_test).mean - y_test).pow(2).mean() / y_test.var()
print(f"test mse relative to the variance {mse.item():.4f}")
