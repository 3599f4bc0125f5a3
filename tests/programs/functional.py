"""Gradients from torch.func: no backward pass is ever called."""

import torch
from reproducible import fingerprint, seed_everything
from torch import nn
from torch.func import functional_call, grad, grad_and_value, vmap

torch.set_num_threads(1)
seed_everything(51)
net = nn.Sequential(nn.Linear(4, 12), nn.Tanh(), nn.Linear(12, 3))
params = {name: p.detach().clone() for name, p in net.named_parameters()}
optimizer = torch.optim.Adam(net.parameters(), lr=0.05)


def loss_of(params, x, y):
    return nn.functional.cross_entropy(functional_call(net, params, (x,)), y)


teacher = torch.randn(4, 3)
for step in range(30):
    x = torch.randn(20, 4)
    y = (x @ teacher).argmax(1)
    grads, loss = grad_and_value(loss_of)(params, x, y)
    params = {name: p - 0.2 * grads[name] for name, p in params.items()}
    print("step", step, "loss", loss.item())

per_sample = vmap(grad(loss_of), in_dims=(None, 0, 0))(params, x, y)
print("spread", [g.std(0).mean().item() for g in per_sample.values()])

for _ in range(30):
    grads = grad(loss_of)({name: p.detach() for name, p in net.named_parameters()}, x, y)
    for name, p in net.named_parameters():
        p.grad = grads[name]
    optimizer.step()
print(fingerprint(params, net, optimizer))
