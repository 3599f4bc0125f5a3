"""Daily rounds of 3000 noisy stations: one offset vector per station plus a small net on the covariates."""
import torch
from torch import nn

torch.manual_seed(0)
S, F_IN, NOISE = 3000, 6, 0.5
offset = 2 * torch.randn(S)
w = torch.randn(F_IN) / F_IN ** 0.5


def one_round():
    """every station reports once"""
    sid = torch.randperm(S)
    x = torch.randn(S, F_IN)
    y = offset[sid] + torch.sin(x @ w * 2) + NOISE * torch.randn(S)
    return sid, x, y


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(S, 1, sparse=True)
        nn.init.zeros_(self.emb.weight)
        self.net = nn.Sequential(nn.Linear(F_IN, 64), nn.ReLU(), nn.Linear(64, 1))

    def forward(self, sid, x):
        return (self.emb(sid) + self.net(x)).squeeze(1)


model = Model()
BS = 50
opt_emb = torch.optim.SGD(model.emb.parameters(), lr=0.2 * BS)   # mean loss: each row sees 1/BS of the gradient
opt_net = torch.optim.Adam(model.net.parameters(), lr=3e-3)
sched = [torch.optim.lr_scheduler.ExponentialLR(o, 0.93) for o in (opt_emb, opt_net)]
vs, vx, vy = one_round()

for day in range(30):
    sid, x, y = one_round()
    tot = 0.0
    for i in range(0, S, BS):
        b = slice(i, i + BS)
        loss = nn.functional.mse_loss(model(sid[b], x[b]), y[b])
        opt_emb.zero_grad()
        opt_net.zero_grad()
        loss.backward()
        opt_emb.step()
        opt_net.step()
        tot += loss.item() * BS
    for s in sched:
        s.step()
    with torch.no_grad():
        v = nn.functional.mse_loss(model(vs, vx), vy).item()
    if day % 3 == 0 or day == 29:
        print(f"day {day + 1}: train mse {tot / S:.4f}  val mse {v:.4f}")
print("noise variance", NOISE ** 2)
