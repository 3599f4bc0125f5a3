"""Train a small CNN on the 8x8 digits."""
import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

CONFIG = {"lr": 0.05, "momentum": 0.9, "batch_size": 64, "epochs": 15, "gamma": 0.9, "seed": 3}


class DigitNet(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                                  nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.fc = nn.Linear(32 * 2 * 2, classes)

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))


def load(cfg):
    data = load_digits()
    x = torch.tensor(data.images, dtype=torch.float32).unsqueeze(1) / 16
    x = (x - x.mean()) / x.std()
    full = TensorDataset(x, torch.tensor(data.target))
    train, val = random_split(full, [1500, len(full) - 1500], torch.Generator().manual_seed(0))
    return DataLoader(train, cfg["batch_size"], shuffle=True), DataLoader(val, 256)


def main(cfg):
    torch.manual_seed(cfg["seed"])
    torch.set_num_threads(1)
    train_dl, val_dl = load(cfg)
    net = DigitNet()
    criterion = nn.CrossEntropyLoss()
    opt = torch.optim.SGD(net.parameters(), lr=cfg["lr"], momentum=cfg["momentum"])
    sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=cfg["gamma"])
    for epoch in range(cfg["epochs"]):
        net.train()
        for x, y in train_dl:
            loss = criterion(net(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
        net.eval()
        with torch.no_grad():
            right = sum((net(x).argmax(1) == y).sum().item() for x, y in val_dl)
            vloss = sum(criterion(net(x), y).item() * len(y) for x, y in val_dl)
        n = len(val_dl.dataset)
        print(f"epoch {epoch} train {loss.item():.3f} val {vloss / n:.3f} acc {right / n:.3f}")


if __name__ == "__main__":
    main(CONFIG)
