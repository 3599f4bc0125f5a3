import math
import argparse

import torch
import torch.nn as nn
from torch.nn import functional as F

p = argparse.ArgumentParser()
p.add_argument("--steps", type=int, default=500)
p.add_argument("--lr", type=float, default=3e-3)
p.add_argument("--warmup", type=int, default=100)
p.add_argument("--clip", type=float, default=0.5)
args = p.parse_args()
torch.manual_seed(1337)

subjects = ["the cat", "a dog", "my friend", "the old king", "our teacher", "the sailor"]
verbs = ["sees", "likes", "follows", "paints", "forgets", "remembers"]
objects = ["the sea", "a red house", "the moon", "an apple", "the long road", "a quiet song"]
ends = ["in the morning", "at night", "every day", "without a word"]
g = torch.Generator().manual_seed(0)


def pick(items):
    return items[torch.randint(len(items), (1,), generator=g).item()]


text = "".join(f"{pick(subjects)} {pick(verbs)} {pick(objects)} {pick(ends)}.\n" for _ in range(1500))
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])
n = int(0.9 * len(data))
train_data, val_data = data[:n], data[n:]
V, CTX, B = len(chars), 48, 16


def get_batch(src):
    ix = torch.randint(len(src) - CTX - 1, (B,))
    x = torch.stack([src[i:i + CTX] for i in ix])
    y = torch.stack([src[i + 1:i + CTX + 1] for i in ix])
    return x, y


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.proj = nn.Linear(d, d, bias=False)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
        self.h = h

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.ln1(x)).view(b, t, 3, self.h, d // self.h).permute(2, 0, 3, 1, 4)
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(a.transpose(1, 2).reshape(b, t, d))
        return x + self.mlp(self.ln2(x))


class GPT(nn.Module):
    def __init__(self, d=48, layers=2, heads=4):
        super().__init__()
        self.tok = nn.Embedding(V, d)
        self.pos = nn.Embedding(CTX, d)
        self.blocks = nn.ModuleList(Block(d, heads) for _ in range(layers))
        self.lnf = nn.LayerNorm(d)
        self.head = nn.Linear(d, V, bias=False)
        self.apply(self._init)
        self.head.weight = self.tok.weight

    @staticmethod
    def _init(m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.02)
            if getattr(m, "bias", None) is not None:
                nn.init.zeros_(m.bias)

    def forward(self, x):
        h = self.tok(x) + self.pos(torch.arange(x.size(1)))
        for blk in self.blocks:
            h = blk(h)
        return self.head(self.lnf(h))


model = GPT()
opt = torch.optim.AdamW(model.parameters(), lr=args.lr, betas=(0.9, 0.95), weight_decay=0.1)
lr_at = lambda s: (s + 1) / args.warmup if s < args.warmup else \
    0.1 + 0.45 * (1 + math.cos(math.pi * (s - args.warmup) / (args.steps - args.warmup)))
sched = torch.optim.lr_scheduler.LambdaLR(opt, lr_at)


@torch.no_grad()
def estimate():
    model.eval()
    out = []
    for _ in range(8):
        x, y = get_batch(val_data)
        out.append(F.cross_entropy(model(x).flatten(0, 1), y.flatten()).item())
    model.train()
    return sum(out) / len(out)


for step in range(args.steps):
    x, y = get_batch(train_data)
    loss = F.cross_entropy(model(x).flatten(0, 1), y.flatten())
    opt.zero_grad(set_to_none=True)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), args.clip)
    opt.step()
    sched.step()
    if step % 40 == 0 or step == args.steps - 1:
        print(f"step {step}: train {loss.item():.3f} val {estimate():.3f} norm {norm:.2f} lr {sched.get_last_lr()[0]:.1e}")
