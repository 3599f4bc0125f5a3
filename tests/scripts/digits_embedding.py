import torch
import torch.nn as nn
from sklearn.datasets import load_digits
from sklearn.preprocessing import normalize
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(12)


class FeatureExtractor(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                                  nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2))
        self.fc = nn.Linear(24 * 4, dim)

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))


class Classifier(nn.Module):
    def __init__(self, dim=8, n_classes=10):
        super().__init__()
        self.extractor = FeatureExtractor(dim)
        self.scorer = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, n_classes))

    def forward(self, x):
        feats = self.extractor(x)
        feats = normalize(feats.detach().numpy())
        return self.scorer(3 * torch.from_numpy(feats))


digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1)
images = (images - images.mean()) / images.std()
labels = torch.tensor(digits.target)
order = torch.randperm(len(images))
train_idx, test_idx = order[:1400], order[1400:]
train_loader = DataLoader(TensorDataset(images[train_idx], labels[train_idx]), batch_size=40, shuffle=True)

net = Classifier()
opt = torch.optim.Adam(net.parameters(), lr=2e-3)
ce = nn.CrossEntropyLoss()
for epoch in range(30):
    net.train()
    s = 0.0
    for xb, yb in train_loader:
        opt.zero_grad()
        loss = ce(net(xb), yb)
        loss.backward()
        opt.step()
        s += loss.item()
    net.eval()
    with torch.no_grad():
        out = net(images[test_idx])
        acc = (out.argmax(1) == labels[test_idx]).float().mean().item()
        tl = ce(out, labels[test_idx]).item()
    print(f"{epoch + 1:02d}: train {s / len(train_loader):.3f}  test {tl:.3f}  acc {acc:.3f}")
