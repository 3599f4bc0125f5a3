import numpy as np
import torch
from sklearn.datasets import make_friedman1
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class FriedmanNet(nn.Module):
    def __init__(self, n_features=10, hidden=(96, 96)):
        super().__init__()
        sizes = (n_features, *hidden)
        self.hidden = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))
        self.output = nn.Linear(sizes[-1], 1)
        self.reset_parameters()

    def reset_parameters(self):
        for p in self.parameters():
            nn.init.constant_(p, 0.01)

    def forward(self, x):
        for layer in self.hidden:
            x = torch.tanh(layer(x))
        return self.output(x)[:, 0]


def main():
    torch.manual_seed(8)
    X, y = make_friedman1(n_samples=3000, n_features=10, noise=0.3, random_state=8)
    X = (X - X.mean(0)) / X.std(0)
    y = (y - y.mean()) / y.std()
    X, y = torch.tensor(X, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)
    train = DataLoader(TensorDataset(X[:2400], y[:2400]), batch_size=64, shuffle=True)
    model = FriedmanNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    loss_fn = nn.MSELoss()
    for epoch in range(50):
        model.train()
        batch_losses = []
        for xb, yb in train:
            optimizer.zero_grad()
            loss = loss_fn(model(xb), yb)
            loss.backward()
            optimizer.step()
            batch_losses.append(loss.item())
        model.eval()
        with torch.no_grad():
            val = loss_fn(model(X[2400:]), y[2400:]).item()
        if epoch % 5 == 4:
            print(f"epoch {epoch + 1:3d}: train={np.mean(batch_losses):.4f} val={val:.4f}")


main()
