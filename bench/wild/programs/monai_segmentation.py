"""A MONAI U-Net segments drawn blobs with DiceCELoss, after the 2D tutorial."""

import argparse

import torch
from monai.losses import DiceCELoss
from monai.metrics import DiceMetric
from monai.networks.nets import UNet
from monai.utils import set_determinism
from torch.utils.data import DataLoader, TensorDataset

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=3e-3)
parser.add_argument("--weight-decay", type=float, default=1e-5)
parser.add_argument("--batch-size", type=int, default=4)
args = parser.parse_args()

set_determinism(seed=0)


def draw(count):
    """Two kinds of organ: a bright disk and a dark one; the ground is 0."""
    rows, columns = torch.meshgrid(torch.arange(32.0), torch.arange(32.0), indexing="ij")
    labels = torch.zeros(count, 32, 32, dtype=torch.long)
    for kind in (1, 2):
        center = 6 + 20 * torch.rand(2, count, 1, 1)
        inside = (rows - center[0]) ** 2 + (columns - center[1]) ** 2 < (3 + 4 * torch.rand(count, 1, 1)) ** 2
        labels[inside] = kind
    image = torch.tensor([0.0, 1.5, -1.5])[labels] + 0.7 * torch.randn(count, 32, 32)
    return image.unsqueeze(1), labels.unsqueeze(1)


train_loader = DataLoader(TensorDataset(*draw(300)), batch_size=args.batch_size, shuffle=True)
val_images, val_labels = draw(60)
model = UNet(spatial_dims=2, in_channels=1, out_channels=3, channels=(8, 16, 32), strides=(2, 2), num_res_units=1)
loss_function = DiceCELoss(to_onehot_y=True, softmax=True)
optimizer = torch.optim.Adam(model.parameters(), args.lr, weight_decay=args.weight_decay)
dice_metric = DiceMetric(include_background=False, num_classes=3)
step = 0
while step < args.steps:
    model.train()
    for inputs, labels in train_loader:
        optimizer.zero_grad()
        loss = loss_function(model(inputs), labels)
        loss.backward()
        optimizer.step()
        step += 1
        if step >= args.steps:
            break
    model.eval()
    with torch.no_grad():
        outputs = model(val_images)
        dice = dice_metric(outputs.argmax(1, keepdim=True), val_labels).nanmean().item()
        val_loss = loss_function(outputs, val_labels).item()
    print(f"step {step} loss {loss.item():.4f} val loss {val_loss:.4f} dice {dice:.4f}")
print(f"dice {dice:.4f}")
