import torch
from reproducible import fingerprint, seed_everything
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)


class Shapes(Dataset):
    def __len__(self):
        return 160

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        label = index % 2
        image = torch.rand(1, 6, 6, generator=generator) + torch.rand(1)
        image[:, label * 3 : label * 3 + 3] += 0.5
        return image, label


if __name__ == "__main__":
    seed_everything(25)
    loader = DataLoader(Shapes(), batch_size=16, shuffle=True, num_workers=2, multiprocessing_context="fork")
    model = nn.Sequential(nn.Flatten(), nn.Linear(36, 16), nn.ReLU(), nn.Linear(16, 2))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(f"epoch {epoch} loss {loss.item()!r}")
    print(fingerprint(model, optimizer))
