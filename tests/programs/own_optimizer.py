import torch
from reproducible import fingerprint, seed_everything
from torch import nn
from torch.optim import Optimizer


class Lion(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), weight_decay=0.0):
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["average"] = torch.zeros_like(p)
                p.mul_(1 - group["lr"] * group["weight_decay"])
                p.add_(state["average"].lerp(p.grad, 1 - beta1).sign(), alpha=-group["lr"])
                state["average"].lerp_(p.grad, 1 - beta2)


class Sign(torch.autograd.Function):
    """The sign has no useful gradient, so one is made up."""

    @staticmethod
    def forward(ctx, weight):
        ctx.save_for_backward(weight)
        return weight.sign()

    @staticmethod
    def backward(ctx, gradient):
        (weight,) = ctx.saved_tensors
        return gradient * (weight.abs() <= 1)


class BinaryLinear(nn.Linear):
    def forward(self, x):
        return nn.functional.linear(x, Sign.apply(self.weight), self.bias)


torch.set_num_threads(1)
seed_everything(57)
model = nn.Sequential(BinaryLinear(7, 20), nn.ELU(), nn.Linear(20, 1))
optimizer = Lion(model.parameters(), lr=3e-3, weight_decay=0.01)
for step in range(70):
    x = torch.randn(16, 7)
    loss = nn.functional.mse_loss(model(x), x.max(dim=1, keepdim=True).values)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step, "loss", loss.item())
print(fingerprint(model, optimizer))
