"""Physics-informed network for  u'' = -f  on [0,1], u(0)=u(1)=0,  f = (3 pi)^2 sin(3 pi x) + pi^2 sin(pi x)."""
import math

import torch
import torch.nn as nn

torch.manual_seed(3)


def source(x):
    return (3 * math.pi) ** 2 * torch.sin(3 * math.pi * x) + math.pi ** 2 * torch.sin(math.pi * x)


def exact(x):
    return torch.sin(3 * math.pi * x) + torch.sin(math.pi * x)


net = nn.Sequential(
    nn.Linear(1, 32), nn.Tanh(),
    nn.Linear(32, 32), nn.Tanh(),
    nn.Linear(32, 32), nn.Tanh(),
    nn.Linear(32, 1),
)

x_in = torch.linspace(0, 1, 101)[1:-1].unsqueeze(1).requires_grad_(True)
x_bc = torch.tensor([[0.0], [1.0]])

optimizer = torch.optim.Adam(net.parameters(), lr=3e-3)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.998)

for it in range(1800):
    optimizer.zero_grad()
    u = net(x_in)
    du = torch.autograd.grad(u.sum(), x_in, create_graph=True)[0]
    d2u = torch.autograd.grad(du.sum(), x_in, create_graph=True)[0]
    pde = (d2u + source(x_in)).pow(2).mean()
    bc = net(x_bc).pow(2).sum()
    loss = pde + 100.0 * bc
    loss.backward()
    optimizer.step()
    scheduler.step()
    if it % 150 == 0:
        print(f"it {it:5d}  loss {loss.item():12.4f}  pde {pde.item():12.4f}  bc {bc.item():.2e}")

with torch.no_grad():
    x = torch.linspace(0, 1, 500).unsqueeze(1)
    err = (net(x) - exact(x)).norm() / exact(x).norm()
print(f"relative L2 error against the exact solution: {err.item():.4f}")
