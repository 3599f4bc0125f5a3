"""Plain deep conv stack with batch norm on digits."""
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(14)


def conv_bn(cin, cout, stride=1):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, stride=stride, padding=1, bias=False), nn.BatchNorm2d(cout), nn.ReLU())


net = nn.Sequential(
    conv_bn(1, 12), conv_bn(12, 12), conv_bn(12, 12), conv_bn(12, 12), conv_bn(12, 24, stride=2),
    conv_bn(24, 24), conv_bn(24, 24), conv_bn(24, 24), conv_bn(24, 24),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(24, 10),
)

d = load_digits()
x = torch.tensor(d.images, dtype=torch.float32)[:, None]
x = (x - x.mean()) / x.std()
y = torch.tensor(d.target)
perm = torch.randperm(len(x))
train = TensorDataset(x[perm[:1440]], y[perm[:1440]])
test = TensorDataset(x[perm[1440:]], y[perm[1440:]])
train_loader = DataLoader(train, batch_size=48, shuffle=True)
test_loader = DataLoader(test, batch_size=357)

optimizer = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
criterion = nn.CrossEntropyLoss()


def evaluate():
    net.eval()
    with torch.no_grad():
        xb, yb = next(iter(test_loader))
        out = net(xb)
        return criterion(out, yb).item(), (out.argmax(1) == yb).float().mean().item()


net.train()
print("before training: loss %.3f acc %.3f" % evaluate())
for epoch in range(12):
    running = 0.0
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = criterion(net(xb), yb)
        loss.backward()
        optimizer.step()
        running += loss.item()
    print(f"epoch {epoch}: train {running / len(train_loader):.4f}", "test %.4f acc %.3f" % evaluate())
