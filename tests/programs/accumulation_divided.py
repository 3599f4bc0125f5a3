import argparse

import torch
from reproducible import fingerprint, seed_everything
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def parse_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--accumulate", type=int, default=4)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--lr", type=float, default=0.1)
    return parser.parse_args(argv)


def main():
    args = parse_args()
    torch.set_num_threads(1)
    seed_everything(5)
    inputs = torch.randn(384, 20)
    labels = (inputs[:, :3].sum(1) > 0).long()
    loader = DataLoader(TensorDataset(inputs, labels), batch_size=8, shuffle=True)
    model = nn.Sequential(nn.Linear(20, 16), nn.Tanh(), nn.Linear(16, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    criterion = nn.CrossEntropyLoss()

    micro_losses = []
    optimizer.zero_grad()
    for epoch in range(args.epochs):
        for i, (xs, ys) in enumerate(loader):
            loss = criterion(model(xs), ys)
            (loss / args.accumulate).backward()
            micro_losses.append(loss.item())
            if (i + 1) % args.accumulate == 0:
                optimizer.step()
                optimizer.zero_grad()
                print(f"epoch {epoch} loss {sum(micro_losses) / len(micro_losses)!r}")
                micro_losses.clear()

    print(fingerprint(model, optimizer))


if __name__ == "__main__":
    main()
