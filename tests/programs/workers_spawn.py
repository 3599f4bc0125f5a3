import torch
from reproducible import fingerprint, seed_everything
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __len__(self):
        return 96

    def __getitem__(self, index):
        x = torch.randn(4)
        return x, x.sum(0, keepdim=True)


def main():
    torch.set_num_threads(1)
    seed_everything(26)
    loader = DataLoader(
        Rows(), batch_size=8, num_workers=1, multiprocessing_context="spawn", persistent_workers=True
    )
    model = nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(4):
        for x, y in loader:
            optimizer.zero_grad()
            loss = nn.functional.smooth_l1_loss(model(x), y)
            loss.backward()
            optimizer.step()
            print(f"epoch {epoch} loss {loss.item()!r}")
    print(fingerprint(model, optimizer))


if __name__ == "__main__":
    main()
