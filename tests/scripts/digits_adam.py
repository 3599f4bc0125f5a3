import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(2)


def weights_init(m):
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, mean=0.0, std=1.0)
        nn.init.zeros_(m.bias)


X, y = load_digits(return_X_y=True)
X = torch.tensor((X - X.mean()) / X.std()).float()
y = torch.tensor(y)
x_train, x_val, y_train, y_val = train_test_split(X, y, test_size=0.2, random_state=2)
loader = DataLoader(TensorDataset(x_train, y_train), batch_size=64, shuffle=True)

model = nn.Sequential(
    nn.Linear(64, 200), nn.ReLU(),
    nn.Linear(200, 200), nn.ReLU(),
    nn.Linear(200, 100), nn.ReLU(),
    nn.Linear(100, 10),
)
model.apply(weights_init)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(40):
    model.train()
    train_loss = 0.0
    for xb, yb in loader:
        optimizer.zero_grad()
        loss = criterion(model(xb), yb)
        loss.backward()
        optimizer.step()
        train_loss += loss.item()
    model.eval()
    with torch.no_grad():
        logits = model(x_val)
        val_loss = criterion(logits, y_val).item()
        val_acc = (logits.argmax(1) == y_val).float().mean().item()
    print("Epoch %d | train loss %.4f | val loss %.4f | val acc %.4f" % (epoch, train_loss / len(loader), val_loss, val_acc))
