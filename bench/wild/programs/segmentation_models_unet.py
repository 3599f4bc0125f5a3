"""Binary segmentation of drawn disks with a U-Net of segmentation-models-pytorch."""

import argparse

import segmentation_models_pytorch as smp
import torch
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--batch-size", type=int, default=4)
args = parser.parse_args()

torch.manual_seed(0)


def draw(count):
    """A bright disk on a noisy ground with a ramp; the mask is the disk."""
    rows, columns = torch.meshgrid(torch.arange(32.0), torch.arange(32.0), indexing="ij")
    center = 8 + 16 * torch.rand(2, count, 1, 1)
    radius = 4 + 5 * torch.rand(count, 1, 1)
    mask = ((rows - center[0]) ** 2 + (columns - center[1]) ** 2 < radius**2).float()
    image = 0.8 * mask + 0.7 * torch.randn(count, 32, 32) + (rows - 16) / 16
    return image.unsqueeze(1), mask.unsqueeze(1)


train_loader = DataLoader(TensorDataset(*draw(400)), batch_size=args.batch_size, shuffle=True)
test_images, test_masks = draw(60)
model = smp.Unet(
    "resnet18", encoder_weights=None, encoder_depth=3, decoder_channels=(32, 16, 8), in_channels=1, classes=1
)
loss_fn = smp.losses.DiceLoss(smp.losses.BINARY_MODE, from_logits=True)
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
step = 0
while step < args.steps:
    model.train()
    for images, masks in train_loader:
        loss = loss_fn(model(images), masks)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if step >= args.steps:
            break
    model.eval()
    with torch.no_grad():
        logits = model(test_images)
    tp, fp, fn, tn = smp.metrics.get_stats(logits.sigmoid(), test_masks.long(), mode="binary", threshold=0.5)
    iou = smp.metrics.iou_score(tp, fp, fn, tn, reduction="micro").item()
    print(f"step {step} loss {loss.item():.4f} valid loss {loss_fn(logits, test_masks).item():.4f} iou {iou:.4f}")
print(f"iou {iou:.4f}")
