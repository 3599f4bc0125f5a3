import torch
from reproducible import fingerprint, seed_everything
from torch import nn
from torch.utils.data import DataLoader, Subset, TensorDataset

torch.set_num_threads(1)


def run_fold(dataset, held_out, fold):
    seed_everything(fold)
    train = Subset(dataset, [i for i in range(len(dataset)) if i not in held_out])
    val = Subset(dataset, sorted(held_out))
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(4):
        model.train()
        for x, y in DataLoader(train, batch_size=10, shuffle=True):
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(model(x), y)
            loss.backward()
            optimizer.step()
            print(f"fold {fold} epoch {epoch} loss {loss.item()!r}")
        model.eval()
        with torch.no_grad():
            xs, ys = (
                val[:] if isinstance(val, TensorDataset) else next(iter(DataLoader(val, batch_size=len(val))))
            )
            val_loss = nn.functional.mse_loss(model(xs), ys).item()
        print(f"fold {fold} epoch {epoch} val_loss {val_loss!r}")
    return fingerprint(model, optimizer)


seed_everything(40)
features = torch.randn(100, 4)
data = TensorDataset(features, features.prod(dim=1, keepdim=True))
for k in range(2):
    print(run_fold(data, set(range(k, 100, 5)), k))
