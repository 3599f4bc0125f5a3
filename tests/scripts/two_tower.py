"""Two-tower retrieval trained with in-batch negatives (InfoNCE)."""
import torch
from torch import nn, Tensor
import torch.nn.functional as F

torch.manual_seed(5)
N, LATENT, D_Q, D_I = 9000, 8, 30, 50


def make_pairs(n: int, wq: Tensor, wi: Tensor) -> tuple[Tensor, Tensor]:
    z = torch.randn(n, LATENT)
    q = torch.tanh(z @ wq) + 0.1 * torch.randn(n, D_Q)
    i = torch.sin(z @ wi) + 0.1 * torch.randn(n, D_I)
    return q, i


wq, wi = torch.randn(LATENT, D_Q) / LATENT ** 0.5, torch.randn(LATENT, D_I) / LATENT ** 0.5
q_tr, i_tr = make_pairs(N, wq, wi)
q_va, i_va = make_pairs(512, wq, wi)


class Tower(nn.Module):
    def __init__(self, d_in: int, d_out: int = 32) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d_in, 128), nn.ReLU(), nn.LayerNorm(128), nn.Linear(128, d_out))

    def forward(self, x: Tensor) -> Tensor:
        return F.normalize(self.net(x), dim=-1)


query, item = Tower(D_Q), Tower(D_I)
log_temp = nn.Parameter(torch.tensor(2.3))
params = [*query.parameters(), *item.parameters(), log_temp]
opt = torch.optim.AdamW(params, lr=4e-3, weight_decay=1e-2)
BATCH, EPOCHS = 512, 30


def info_nce(q: Tensor, i: Tensor) -> Tensor:
    logits = log_temp.exp().clamp(max=100) * q @ i.t()
    target = torch.arange(len(q))
    return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.t(), target))


for epoch in range(EPOCHS):
    perm = torch.randperm(N)
    run, nb = 0.0, 0
    for k in range(0, N - BATCH + 1, BATCH):
        j = perm[k:k + BATCH]
        loss = info_nce(query(q_tr[j]), item(i_tr[j]))
        opt.zero_grad()
        loss.backward()
        opt.step()
        run, nb = run + loss.item(), nb + 1
    with torch.no_grad():
        a, b = query(q_va), item(i_va)
        v = info_nce(a, b).item()
        top1 = ((a @ b.t()).argmax(1) == torch.arange(len(a))).float().mean().item()
    if epoch % 3 == 2:
        print(f"epoch {epoch + 1}  nce {run / nb:.4f}  val nce {v:.4f}  recall@1 {top1:.3f}  T {log_temp.exp().item():.1f}")
