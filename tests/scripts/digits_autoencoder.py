import argparse

import numpy as np
import torch
from sklearn.datasets import load_digits
from torch import nn


def parse_args():
    p = argparse.ArgumentParser(description="Digits autoencoder")
    p.add_argument("--epochs", type=int, default=40)
    p.add_argument("--batch-size", type=int, default=64)
    p.add_argument("--lr", type=float, default=2e-5)
    p.add_argument("--latent", type=int, default=12)
    p.add_argument("--seed", type=int, default=0)
    return p.parse_args()


class AutoEncoder(nn.Module):
    def __init__(self, n_in, latent):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Linear(n_in, 256), nn.ReLU(),
            nn.Linear(256, 128), nn.ReLU(),
            nn.Linear(128, latent),
        )
        self.decoder = nn.Sequential(
            nn.Linear(latent, 128), nn.ReLU(),
            nn.Linear(128, 256), nn.ReLU(),
            nn.Linear(256, n_in),
        )

    def forward(self, x):
        return self.decoder(self.encoder(x))


def main():
    args = parse_args()
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)

    data = load_digits().data.astype("float32")
    data = (data - data.mean()) / data.std()
    perm = rng.permutation(len(data))
    train, val = torch.from_numpy(data[perm[:1500]]), torch.from_numpy(data[perm[1500:]])

    net = AutoEncoder(train.shape[1], args.latent)
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    mse = nn.MSELoss()
    for epoch in range(args.epochs):
        net.train()
        order = torch.randperm(len(train))
        losses = []
        for i in range(0, len(order), args.batch_size):
            batch = train[order[i:i + args.batch_size]]
            loss = mse(net(batch), batch)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            losses.append(loss.item())
        net.eval()
        with torch.no_grad():
            val_loss = mse(net(val), val).item()
        print(f"[{epoch + 1}/{args.epochs}] train mse {np.mean(losses):.4f} | val mse {val_loss:.4f}")


if __name__ == "__main__":
    main()
