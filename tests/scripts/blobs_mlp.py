"""Classify 20-dimensional make_classification data."""
import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

SEED = 5
torch.manual_seed(SEED)

X, y = make_classification(n_samples=4000, n_features=20, n_informative=12, n_redundant=4, n_classes=5,
                           class_sep=1.6, random_state=SEED)
X = (X - X.mean(0)) / X.std(0)
X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.25, random_state=SEED)
train_set = TensorDataset(torch.from_numpy(X_train).float(), torch.from_numpy(y_train).long())
val_set = TensorDataset(torch.from_numpy(X_val).float(), torch.from_numpy(y_val).long())
train_loader = DataLoader(train_set, batch_size=64, shuffle=True)
val_loader = DataLoader(val_set, batch_size=500)


def init_weights(m):
    if isinstance(m, nn.Linear):
        nn.init.kaiming_normal_(m.weight, nonlinearity="relu")
        nn.init.constant_(m.bias, -4.0)


hidden = nn.Sequential(nn.Linear(20, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU())
hidden.apply(init_weights)
model = nn.Sequential(hidden, nn.Linear(128, 5))
optimizer = optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
loss_fn = nn.CrossEntropyLoss()


def run_epoch(loader, train=True):
    model.train(train)
    total_loss = total_correct = n = 0
    with torch.set_grad_enabled(train):
        for x, t in loader:
            logits = model(x)
            loss = loss_fn(logits, t)
            if train:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            total_loss += loss.item() * len(t)
            total_correct += (logits.argmax(1) == t).sum().item()
            n += len(t)
    return total_loss / n, total_correct / n


for epoch in range(30):
    tr_loss, tr_acc = run_epoch(train_loader)
    va_loss, va_acc = run_epoch(val_loader, train=False)
    print(f"{epoch:3d} | train {tr_loss:.3f} / {tr_acc:.3f} | val {va_loss:.3f} / {va_acc:.3f}")
