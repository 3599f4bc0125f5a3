import torch
from reproducible import fingerprint, seed_everything
from torch import nn

torch.set_num_threads(1)
seed_everything(18)


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 8, 3, padding=1)
        self.bn1 = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3, stride=2, padding=1)

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.conv2(x)).mean(dim=(2, 3))


class FineTuned(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(16, classes)

    def forward(self, x):
        return self.head(self.backbone(x))


model = FineTuned(Backbone(), classes=4)
for p in model.backbone.parameters():
    p.requires_grad = False
model.backbone.eval()

optimizer = torch.optim.SGD(filter(lambda p: p.requires_grad, model.parameters()), lr=0.5, momentum=0.9)
for step in range(60):
    labels = torch.randint(0, 4, (16,))
    images = torch.randn(16, 3, 8, 8) + labels.view(-1, 1, 1, 1).float()
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step, "loss", loss.item())
print(fingerprint(model, optimizer))
