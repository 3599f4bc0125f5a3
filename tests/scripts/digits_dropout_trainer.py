import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, train_loader, val_loader, lr=1e-3):
        self.model = model
        self.train_loader = train_loader
        self.val_loader = val_loader
        self.opt = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=1e-2)
        self.loss = nn.CrossEntropyLoss()

    def train_epoch(self):
        total = n = 0
        for x, y in self.train_loader:
            self.opt.zero_grad(set_to_none=True)
            loss = self.loss(self.model(x), y)
            loss.backward()
            self.opt.step()
            total += loss.item() * len(y)
            n += len(y)
        return total / n

    @torch.no_grad()
    def validate(self):
        total = hits = n = 0
        for x, y in self.val_loader:
            out = self.model(x)
            total += self.loss(out, y).item() * len(y)
            hits += (out.argmax(1) == y).sum().item()
            n += len(y)
        return total / n, hits / n

    def fit(self, epochs):
        self.model.train()
        for epoch in range(epochs):
            train_loss = self.train_epoch()
            val_loss, val_acc = self.validate()
            print(f"epoch {epoch + 1:2d}: train {train_loss:.4f}  val {val_loss:.4f}  acc {val_acc:.4f}")


def get_loaders():
    X, y = load_digits(return_X_y=True)
    X = torch.tensor((X - 4.9) / 6.0, dtype=torch.float32)
    y = torch.tensor(y)
    a, b, c, d = train_test_split(X, y, test_size=0.25, random_state=1, stratify=y)
    return (DataLoader(TensorDataset(a, c), batch_size=64, shuffle=True),
            DataLoader(TensorDataset(b, d), batch_size=6))


if __name__ == "__main__":
    torch.manual_seed(1)
    net = nn.Sequential(
        nn.Linear(64, 256), nn.BatchNorm1d(256), nn.ReLU(), nn.Dropout(0.5),
        nn.Linear(256, 128), nn.BatchNorm1d(128), nn.ReLU(), nn.Dropout(0.5),
        nn.Linear(128, 10),
    )
    Trainer(net, *get_loaders(), lr=2e-3).fit(25)
