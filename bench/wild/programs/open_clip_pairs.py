"""Contrastive training of a tiny CLIP from open_clip on generated images and their captions."""

import argparse

import torch
from open_clip import CLIP, ClipLoss

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--wd", type=float, default=0.1)
parser.add_argument("--warmup", type=int, default=20)
parser.add_argument("--batch-size", type=int, default=32)
args = parser.parse_args()

torch.manual_seed(0)


def draw(count):
    """A colored patch at a place; the caption has a word for the color, for the row and for the column."""
    color = torch.randint(0, 3, (count,))
    row, column = torch.randint(0, 4, (2, count))
    images = 0.3 * torch.randn(count, 3, 32, 32)
    for i in range(count):
        top, left = 8 * int(row[i]), 8 * int(column[i])
        images[i, color[i], top : top + 8, left : left + 8] += 2.0
    end = torch.full((count,), 19)
    filler = torch.zeros(count, dtype=torch.long)
    texts = torch.stack([filler + 18, 1 + color, 5 + row, 10 + column, end, filler, filler, filler], dim=1)
    return images, texts


images, texts = draw(3000)
test_images, test_texts = draw(64)
model = CLIP(
    embed_dim=32,
    vision_cfg={"layers": 2, "width": 64, "head_width": 16, "patch_size": 8, "image_size": 32},
    text_cfg={"context_length": 8, "vocab_size": 20, "width": 48, "heads": 4, "layers": 2},
)
loss_fn = ClipLoss()
decay = [p for n, p in model.named_parameters() if p.ndim >= 2]
no_decay = [p for n, p in model.named_parameters() if p.ndim < 2]
optimizer = torch.optim.AdamW(
    [{"params": no_decay, "weight_decay": 0.0}, {"params": decay, "weight_decay": args.wd}],
    lr=args.lr,
    betas=(0.9, 0.98),
)
scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / args.warmup))
for step in range(args.steps):
    model.train()
    picked = torch.randint(0, len(images), (args.batch_size,))
    image_features, text_features, logit_scale = model(images[picked], texts[picked])
    loss = loss_fn(image_features, text_features, logit_scale)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
    with torch.no_grad():
        model.logit_scale.clamp_(0, 4.6052)
    if step % 25 == 24:
        print(f"step {step + 1} loss {loss.item():.4f} scale {logit_scale.item():.2f}")
model.eval()
with torch.no_grad():
    image_features = model.encode_image(test_images, normalize=True)
    text_features = model.encode_text(test_texts, normalize=True)
    best = (image_features @ text_features.T).argmax(1)
print(f"image to text recall {(test_texts[best] == test_texts).all(1).float().mean().item():.4f}")
