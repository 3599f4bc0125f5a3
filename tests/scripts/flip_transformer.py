"""Sequence reversal with a small bidirectional transformer."""
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(40)
VOCAB, LENGTH, DIM, LAYERS = 20, 16, 48, 3


def batch(n):
    x = torch.randint(0, VOCAB, (n, LENGTH))
    return x, x.flip(1)


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.scale = dim ** 0.5
        self.query = nn.Linear(dim, dim, bias=False)
        self.key = nn.Linear(dim, dim, bias=False)
        self.value = nn.Linear(dim, dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        scores = self.query(x) @ self.key(x).transpose(1, 2) * self.scale
        return self.proj(scores.softmax(-1) @ self.value(x))


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = Attention(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))


class Reverser(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, DIM)
        self.pos = nn.Parameter(0.5 * torch.randn(LENGTH, DIM))
        self.blocks = nn.Sequential(*[Block(DIM) for _ in range(LAYERS)])
        self.norm = nn.LayerNorm(DIM)
        self.head = nn.Linear(DIM, VOCAB)

    def forward(self, ids):
        return self.head(self.norm(self.blocks(self.tok(ids) + self.pos)))


model = Reverser()
opt = torch.optim.AdamW(model.parameters(), lr=4e-3, weight_decay=0.01)
warmup = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 50))
val_x, val_y = batch(200)
for step in range(1, 401):
    model.train()
    x, y = batch(32)
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    warmup.step()
    if step % 40 == 0:
        model.eval()
        with torch.no_grad():
            out = model(val_x)
            val = F.cross_entropy(out.flatten(0, 1), val_y.flatten()).item()
            acc = (out.argmax(-1) == val_y).float().mean().item()
        print(f"step {step:4d} train {loss.item():.4f} val {val:.4f} acc {acc:.3f}")
