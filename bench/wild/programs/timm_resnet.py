"""A timm ResNet from scratch on gratings at five angles, with plain SGD."""

import argparse

import timm
import torch
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=0.02)
parser.add_argument("--batch-size", type=int, default=16)
args = parser.parse_args()

torch.manual_seed(1)


def textures(count, angles):
    """Gratings at one of some angles, as gray images of 32 by 32 in three channels."""
    labels = torch.randint(0, len(angles), (count,))
    angle = torch.tensor(angles)[labels][:, None, None]
    rows, columns = torch.meshgrid(torch.arange(32.0), torch.arange(32.0), indexing="ij")
    wave = torch.sin(0.8 * (torch.cos(angle) * rows + torch.sin(angle) * columns) + 6.283 * torch.rand(count, 1, 1))
    return (wave + 0.8 * torch.randn(count, 32, 32)).unsqueeze(1).repeat(1, 3, 1, 1), labels


images, labels = textures(1500, [0.0, 0.5, 1.0, 1.5, 2.0])
test_images, test_labels = textures(300, [0.0, 0.5, 1.0, 1.5, 2.0])
model = timm.create_model("resnet10t", pretrained=False, num_classes=5)
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4)
model.train()
for step in range(args.steps):
    batch = torch.randint(0, len(images), (args.batch_size,))
    optimizer.zero_grad()
    loss = F.cross_entropy(model(images[batch]), labels[batch])
    loss.backward()
    optimizer.step()
    if step % 50 == 49:
        model.eval()
        with torch.no_grad():
            logits = model(test_images)
            accuracy = (logits.argmax(1) == test_labels).float().mean().item()
            print(f"step {step + 1} loss {loss.item():.4f} val loss {F.cross_entropy(logits, test_labels).item():.4f}")
        model.train()
print(f"accuracy {accuracy:.4f}")
