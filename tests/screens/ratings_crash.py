"""Predict a star rating (1 to 5) from a bag of words."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Reviews(Dataset):
    def __init__(self, n=2000, words=120, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, words, generator=g)
        score = self.x[:, :10].sum(1) / 10 ** 0.5
        self.stars = torch.bucketize(score, torch.tensor([-2.2, -1.2, 0.0, 2.6])) + 1

    def __len__(self):
        return len(self.stars)

    def __getitem__(self, i):
        return self.x[i], self.stars[i]


def train(epochs=5, num_classes=5):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(120, 64), nn.ReLU(), nn.Linear(64, num_classes))
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    loader = DataLoader(Reviews(), batch_size=16, shuffle=True)
    for epoch in range(epochs):
        for x, stars in loader:
            loss = F.cross_entropy(model(x), stars)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print("epoch", epoch, "loss", loss.item())


if __name__ == "__main__":
    torch.set_num_threads(1)
    train()
