"""Train a small timm vision transformer on drawn shapes, with timm's optimizer and cosine schedule."""

import argparse

import timm
import torch
import torch.nn.functional as F
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--weight-decay", type=float, default=0.05)
parser.add_argument("--warmup-steps", type=int, default=20)
parser.add_argument("--smoothing", type=float, default=0.1)
parser.add_argument("--drop", type=float, default=0.0)
parser.add_argument("--batch-size", type=int, default=32)
args = parser.parse_args()

torch.manual_seed(0)


def draw(count):
    """Crosses, squares, disks and stripes at random places, with noise."""
    rows, columns = torch.meshgrid(torch.arange(32), torch.arange(32), indexing="ij")
    labels = torch.randint(0, 4, (count,))
    cy, cx = torch.randint(9, 23, (2, count, 1, 1))
    size = torch.randint(4, 8, (count, 1, 1))
    dy, dx = (rows - cy).abs(), (columns - cx).abs()
    shapes = torch.stack(
        [
            ((dy < 2) & (dx < size)) | ((dx < 2) & (dy < size)),
            (dy < size) & (dx < size),
            dy**2 + dx**2 < size**2,
            (dy < size) & (dx < size) & (columns % 4 < 2),
        ]
    ).float()
    images = shapes[labels, torch.arange(count)].unsqueeze(1).repeat(1, 3, 1, 1)
    return (images - 0.1) / 0.3 + 0.2 * torch.randn(count, 3, 32, 32), labels


train_loader = DataLoader(TensorDataset(*draw(2000)), batch_size=args.batch_size, shuffle=True, drop_last=True)
test_images, test_labels = draw(400)
model = timm.create_model(
    "vit_tiny_patch16_224", pretrained=False, num_classes=4, img_size=32, patch_size=8,
    embed_dim=64, depth=3, num_heads=4, drop_rate=args.drop,
)
optimizer = create_optimizer_v2(model, opt="adamw", lr=args.lr, weight_decay=args.weight_decay)
scheduler = CosineLRScheduler(
    optimizer, t_initial=args.steps, warmup_t=args.warmup_steps, warmup_lr_init=1e-6, lr_min=1e-6, t_in_epochs=False
)
step = 0
while step < args.steps:
    model.train()
    for images, labels in train_loader:
        loss = F.cross_entropy(model(images), labels, label_smoothing=args.smoothing)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        scheduler.step_update(num_updates=step)
        if step % 25 == 0:
            print(f"step {step} loss {loss.item():.4f}")
        if step >= args.steps:
            break
    model.eval()
    with torch.no_grad():
        logits = model(test_images)
    accuracy = (logits.argmax(1) == test_labels).float().mean().item()
    print(f"top1 {accuracy:.4f} test loss {F.cross_entropy(logits, test_labels).item():.4f}")
print(f"top1 {accuracy:.4f}")
