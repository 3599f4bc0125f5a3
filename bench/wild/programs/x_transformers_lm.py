"""An autoregressive x-transformers decoder on generated arithmetic text, as in the project's enwik8 example."""

import argparse
import random

import torch
from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--weight-decay", type=float, default=0.01)
parser.add_argument("--clip", type=float, default=0.5)
parser.add_argument("--accumulate", type=int, default=1)
parser.add_argument("--batch-size", type=int, default=16)
parser.add_argument("--seq-len", type=int, default=40)
parser.add_argument("--dropout", type=float, default=0.0)
args = parser.parse_args()

torch.manual_seed(0)
numbers = random.Random(1)
lines = []
for _ in range(6000):
    a, b = numbers.randrange(10), numbers.randrange(10)
    lines.append(f"{a}+{b}={a + b};")
text = "".join(lines)
chars = sorted(set(text))
data = torch.tensor([chars.index(c) for c in text])
train_data, valid_data = data[:-3000], data[-3000:]


def batch(source):
    starts = torch.randint(0, len(source) - args.seq_len, (args.batch_size,))
    return torch.stack([source[start : start + args.seq_len] for start in starts])


model = TransformerWrapper(
    num_tokens=len(chars),
    max_seq_len=args.seq_len,
    attn_layers=Decoder(dim=64, depth=2, heads=4, attn_dim_head=16, attn_dropout=args.dropout, ff_dropout=args.dropout),
)
model = AutoregressiveWrapper(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)
for step in range(args.steps):
    model.train()
    for _ in range(args.accumulate):
        loss = model(batch(train_data))
        (loss / args.accumulate).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), args.clip)
    optimizer.step()
    optimizer.zero_grad()
    if step % 25 == 24:
        model.eval()
        with torch.no_grad():
            print(f"step {step + 1} training loss {loss.item():.4f} validation loss {model(batch(valid_data)).item():.4f}")
model.eval()
with torch.no_grad():
    starts = torch.arange(0, 2400, 300)
    prompts = torch.stack([valid_data[s : s + 30] for s in starts])
    truth = torch.stack([valid_data[s + 30 : s + 38] for s in starts])
    sampled = model.generate(prompts, 8, temperature=0.0, cache_kv=False)
    held_out = sum(model(batch(valid_data)).item() for _ in range(10)) / 10
print(f"validation loss {held_out:.4f}")
print("sample", "".join(chars[i] for i in sampled[0]))
valid = "".join(chars[i] for i in model.generate(prompts[:1], 10, temperature=0.0, cache_kv=False)[0])
print(f"next characters right {(sampled[:, :1] == truth[:, :1]).float().mean().item():.3f}")
