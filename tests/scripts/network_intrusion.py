import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import confusion_matrix, recall_score
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(13)


def simulate_flows(n, attack_share, seed):
    """20 flow statistics (bytes, packets, flags, ...), log-scaled; attacks shift a few of them."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < attack_share).astype(np.float32)
    x = rng.normal(size=(n, 20))
    shift = np.zeros(20)
    shift[[1, 4, 7, 8, 15]] = [0.75, -0.65, 0.6, 0.7, -0.75]
    x += y[:, None] * shift
    x[:, 3] += 0.3 * x[:, 1] * x[:, 4]
    return x.astype(np.float32), y


class IntrusionNet(nn.Module):
    def __init__(self, n_features=20, hidden=48):
        super().__init__()
        self.fc1 = nn.Linear(n_features, hidden)
        self.fc2 = nn.Linear(hidden, hidden)
        self.out = nn.Linear(hidden, 1)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        x = self.drop(torch.relu(self.fc1(x)))
        x = self.drop(torch.relu(self.fc2(x)))
        return self.out(x).squeeze(1)


xtr, ytr = simulate_flows(16000, 0.012, 1)
xva, yva = simulate_flows(6000, 0.012, 2)
train = DataLoader(TensorDataset(torch.from_numpy(xtr), torch.from_numpy(ytr)), batch_size=128, shuffle=True)
xva_t, yva_t = torch.from_numpy(xva), torch.from_numpy(yva)

net = IntrusionNet()
criterion = nn.BCEWithLogitsLoss()
opt = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-2)

for epoch in range(8):
    net.train()
    s = 0.0
    for x, y in train:
        opt.zero_grad()
        loss = criterion(net(x), y)
        loss.backward()
        opt.step()
        s += loss.item()
    net.eval()
    with torch.no_grad():
        logit = net(xva_t)
        vloss = criterion(logit, yva_t).item()
        pred = (torch.sigmoid(logit) > 0.5).int().numpy()
    print(f"Epoch {epoch + 1}: loss={s / len(train):.4f} val_loss={vloss:.4f} val_acc={np.mean(pred == yva):.4f}")

print(confusion_matrix(yva, pred))
print("attack recall:", round(recall_score(yva, pred, zero_division=0), 3))
