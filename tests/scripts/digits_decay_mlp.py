import torch
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(10)
X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=10, stratify=y)
mu, sd = X_train.mean(0), X_train.std(0) + 1e-3


def prep(a):
    return torch.tensor(((a - mu) / sd).clip(-4, 4), dtype=torch.float32)


train_dl = DataLoader(TensorDataset(prep(X_train), torch.tensor(y_train)), batch_size=32, shuffle=True)
test_x, test_y = prep(X_test), torch.tensor(y_test)

model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=0.1)
criterion = nn.CrossEntropyLoss()

for epoch in range(30):
    model.train()
    loss_sum = 0.0
    for xb, yb in train_dl:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        loss_sum += loss.item() * len(yb)
    model.eval()
    with torch.no_grad():
        out = model(test_x)
    print(f"epoch {epoch + 1:2d}: train loss {loss_sum / len(y_train):.4f}, test loss {criterion(out, test_y).item():.4f}, "
          f"test acc {(out.argmax(1) == test_y).float().mean().item():.4f}")
