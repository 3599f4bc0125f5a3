import torch
import torch.nn as nn
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(64)
X, y = load_breast_cancer(return_X_y=True)
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.25, random_state=64, stratify=y)
scaler = StandardScaler()
X_tr, X_te = scaler.fit_transform(X_tr), scaler.transform(X_te)
train_ds = TensorDataset(torch.tensor(X_tr).float(), torch.tensor(y_tr).float().unsqueeze(1))
test_ds = TensorDataset(torch.tensor(X_te).float(), torch.tensor(y_te).float().unsqueeze(1))
train_loader = DataLoader(train_ds, batch_size=16, shuffle=True)
test_loader = DataLoader(test_ds, batch_size=64)


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(30, 24)
        self.drop = nn.Dropout(0.2)
        self.output = nn.Linear(24, 1)

    def forward(self, x):
        return self.output(self.drop(torch.relu(self.hidden(x))))


model = Classifier()
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)


def accuracy(outputs, labels):
    predicted = torch.argmax(outputs, dim=1)
    return (predicted == labels.squeeze(1)).float().mean().item()


for epoch in range(40):
    model.train()
    train_loss, train_acc = 0, 0
    for data, labels in train_loader:
        optimizer.zero_grad()
        outputs = model(data)
        loss = criterion(outputs, labels)
        loss.backward()
        optimizer.step()
        train_loss += loss.item()
        train_acc += accuracy(outputs, labels)
    model.eval()
    test_loss, test_acc = 0, 0
    with torch.no_grad():
        for data, labels in test_loader:
            outputs = model(data)
            test_loss += criterion(outputs, labels).item()
            test_acc += accuracy(outputs, labels)
    print(f"Epoch {epoch + 1:2d}: train loss {train_loss / len(train_loader):.4f} acc {train_acc / len(train_loader):.4f} | "
          f"test loss {test_loss / len(test_loader):.4f} acc {test_acc / len(test_loader):.4f}")
