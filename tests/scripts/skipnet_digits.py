"""Residual MLP on digits under bf16 autocast; residual branches and classifier start at zero."""
import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from torch.utils.data import DataLoader, TensorDataset


class ResBlock(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        nn.init.zeros_(self.down.weight)
        nn.init.zeros_(self.down.bias)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class SkipNet(nn.Module):
    def __init__(self, width=64, depth=4, classes=10):
        super().__init__()
        self.stem = nn.Linear(64, width)
        self.blocks = nn.Sequential(*[ResBlock(width) for _ in range(depth)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, classes)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, x):
        return self.head(self.norm(self.blocks(self.stem(x))))


def run():
    torch.manual_seed(9)
    X, y = load_digits(return_X_y=True)
    perm = torch.randperm(len(X))
    X, y = X[perm], torch.tensor(y[perm.numpy()])
    X = torch.tensor(X / 16.0, dtype=torch.float32)
    X = (X - X[:1440].mean()) / X[:1440].std()
    train = DataLoader(TensorDataset(X[:1440], y[:1440]), batch_size=96, shuffle=True)
    Xv, yv = X[1440:], y[1440:]

    model = SkipNet()
    loss_fn = nn.CrossEntropyLoss()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)
    epochs = 30
    sched = torch.optim.lr_scheduler.MultiStepLR(opt, milestones=[26], gamma=0.1)

    for epoch in range(epochs):
        model.train()
        total = 0.0
        for xb, yb in train:
            opt.zero_grad()
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = loss_fn(model(xb), yb)
            loss.backward()
            opt.step()
            total += loss.item() * len(xb)
        sched.step()
        model.eval()
        with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
            out = model(Xv).float()
        vl = loss_fn(out, yv).item()
        acc = (out.argmax(1) == yv).float().mean().item()
        if epoch % 3 == 2:
            print(f"epoch {epoch + 1:2d} | train {total / 1440:.5f} | val {vl:.4f} | acc {acc:.4f}")


if __name__ == "__main__":
    run()
