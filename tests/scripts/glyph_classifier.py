import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)

digits = load_digits()
X = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1) / 16 - 0.3
y = torch.tensor(digits.target, dtype=torch.float32)
X_train, X_val, y_train, y_val = train_test_split(X, y, test_size=0.2, random_state=3, stratify=digits.target)
train_loader = DataLoader(TensorDataset(X_train, y_train), batch_size=32, shuffle=True)


class GlyphNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU())
        self.fc = nn.Sequential(nn.Flatten(), nn.Linear(256, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.fc(self.conv(x)).squeeze(1)


model = GlyphNet()
criterion = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(20):
    model.train()
    total = 0
    for images, targets in train_loader:
        optimizer.zero_grad()
        loss = criterion(model(images), targets)
        loss.backward()
        optimizer.step()
        total += loss.item() * len(images)
    model.eval()
    with torch.no_grad():
        pred = model(X_val)
        val_loss = criterion(pred, y_val).item()
        acc = (pred.round() == y_val).float().mean().item()
    print(f"Epoch {epoch + 1}/20 - loss: {total / len(X_train):.4f} - val_loss: {val_loss:.4f} - val_accuracy: {acc:.4f}")
