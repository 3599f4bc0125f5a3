import torch
import torch.nn as nn
import torch.optim as optim
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(42)
digits = load_digits()
X = torch.tensor(digits.images / 16.0, dtype=torch.float32).unsqueeze(1)
y = torch.tensor(digits.target)
Xtr, Xva, ytr, yva = train_test_split(X, y, test_size=0.2, random_state=42, stratify=y)
m, s = Xtr.mean(), Xtr.std()
Xtr, Xva = (Xtr - m) / s, (Xva - m) / s
train_loader = DataLoader(TensorDataset(Xtr, ytr), batch_size=64, shuffle=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(16)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(32)
        self.pool = nn.MaxPool2d(2)
        self.fc = nn.Linear(32 * 4, 10)

    def forward(self, x):
        x = self.pool(torch.relu(self.bn1(self.conv1(x))))
        x = self.pool(torch.relu(self.bn2(self.conv2(x))))
        return self.fc(x.flatten(1))


net = Net()
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=5e-4)
scheduler = optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, T_0=7, T_mult=1)
iters = len(train_loader)

for epoch in range(28):
    net.train()
    running = 0.0
    for i, (inputs, labels) in enumerate(train_loader):
        optimizer.zero_grad()
        loss = criterion(net(inputs), labels)
        loss.backward()
        optimizer.step()
        scheduler.step(epoch + i / iters)
        running += loss.item()
    net.eval()
    with torch.no_grad():
        out = net(Xva)
        vloss = criterion(out, yva).item()
        acc = (out.argmax(1) == yva).float().mean().item()
    print(f"[{epoch + 1:2d}] lr {optimizer.param_groups[0]['lr']:.4f} loss {running / iters:.4f} val {vloss:.4f} acc {acc:.4f}")
