"""A neural ordinary differential equation learns a spiral, after torchdiffeq's ode_demo."""

import argparse

import torch
from torch import nn
from torchdiffeq import odeint

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=5e-3)
parser.add_argument("--batch-size", type=int, default=20)
parser.add_argument("--batch-time", type=int, default=10)
args = parser.parse_args()

torch.manual_seed(0)
true_y0 = torch.tensor([[2.0, 0.0]])
t = torch.linspace(0.0, 12.0, 500)
true_A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])


class Lambda(nn.Module):
    def forward(self, t, y):
        return torch.mm(y**3, true_A)


with torch.no_grad():
    true_y = odeint(Lambda(), true_y0, t, method="rk4")


def get_batch():
    starts = torch.randperm(500 - args.batch_time)[: args.batch_size]
    batch_y = torch.stack([true_y[starts + i] for i in range(args.batch_time)], dim=0)
    return true_y[starts], t[: args.batch_time], batch_y


class ODEFunc(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 2))
        for m in self.net.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, mean=0, std=0.1)
                nn.init.constant_(m.bias, val=0)

    def forward(self, t, y):
        return self.net(y**3)


func = ODEFunc()
optimizer = torch.optim.RMSprop(func.parameters(), lr=args.lr)
recent = []
for itr in range(1, args.steps + 1):
    optimizer.zero_grad()
    batch_y0, batch_t, batch_y = get_batch()
    pred_y = odeint(func, batch_y0, batch_t, method="rk4")
    loss = torch.mean(torch.abs(pred_y - batch_y))
    loss.backward()
    optimizer.step()
    recent.append(loss.item())
    if itr % 25 == 0:
        print(f"iter {itr} loss {sum(recent[-25:]) / 25:.5f}")
print(f"mean loss of the last 20 {sum(recent[-20:]) / len(recent[-20:]):.5f}")
