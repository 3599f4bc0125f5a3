"""Adapt a pretrained classifier to a shifted task with rank-4 adapters; the original weights stay put."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(17)


def mixture(n, centers, rot):
    y = torch.randint(len(centers), (n,))
    x = centers[y] + 0.9 * torch.randn(n, centers.size(1))
    return x @ rot, y


class LowRank(nn.Module):
    """W x + scale * B A x"""

    def __init__(self, base: nn.Linear, rank=4, scale=2.0):
        super().__init__()
        self.base = base
        self.A = nn.Linear(base.in_features, rank, bias=False)
        self.B = nn.Linear(rank, base.out_features, bias=False)
        nn.init.zeros_(self.B.weight)
        self.scale = scale

    def forward(self, x):
        return self.base(x) + self.scale * self.B(self.A(x))


class MLP(nn.Module):
    def __init__(self, d, width, classes):
        super().__init__()
        self.l1, self.l2, self.l3 = nn.Linear(d, width), nn.Linear(width, width), nn.Linear(width, classes)

    def forward(self, x):
        return self.l3(F.relu(self.l2(F.relu(self.l1(x)))))


def fit(model, params, data, val, lr, epochs, tag):
    (x, y), (vx, vy) = data, val
    opt = torch.optim.AdamW(params, lr=lr, weight_decay=0.01)
    for ep in range(epochs):
        model.train()
        perm, tot = torch.randperm(len(x)), 0.0
        for i in range(0, len(x), 64):
            j = perm[i:i + 64]
            opt.zero_grad()
            loss = F.cross_entropy(model(x[j]), y[j])
            loss.backward()
            opt.step()
            tot += loss.item() * len(j)
        model.eval()
        with torch.no_grad():
            out = model(vx)
        if ep % 3 == 2 or ep == 0:
            print(f"{tag} {ep + 1:2d}  train {tot / len(x):.3f}  val {F.cross_entropy(out, vy).item():.3f}  "
                  f"acc {(out.argmax(1) == vy).float().mean().item():.3f}")


D, C = 32, 8
centers = torch.randn(C, D)
eye = torch.eye(D)
u, v = torch.randn(D, 3), torch.randn(D, 3)
shift = eye + 0.12 * u @ v.t()          # a low-rank change of the sensor

model = MLP(D, 96, C)
fit(model, model.parameters(), mixture(4000, centers, eye), mixture(1000, centers, eye), 1e-3, 6, "base ")

for p in model.parameters():
    p.requires_grad = False
model.l1, model.l2, model.l3 = LowRank(model.l1), LowRank(model.l2), LowRank(model.l3)
trainable = [p for p in model.parameters() if p.requires_grad]
print("trainable", sum(p.numel() for p in trainable), "of", sum(p.numel() for p in model.parameters()))
fit(model, trainable, mixture(4000, centers, shift), mixture(1000, centers, shift), 2e-3, 15, "adapt")
