import torch
import torch.nn as nn
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
X, y = load_diabetes(return_X_y=True)
Xtr, Xva, ytr, yva = train_test_split(X, y, test_size=0.2, random_state=0)
sx, sy = StandardScaler().fit(Xtr), StandardScaler().fit(ytr[:, None])
t = lambda a: torch.tensor(a, dtype=torch.float32)
train = TensorDataset(t(sx.transform(Xtr)), t(sy.transform(ytr[:, None])))
Xva, yva = t(sx.transform(Xva)), t(sy.transform(yva[:, None]))
loader = DataLoader(train, batch_size=32, shuffle=True)


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 64)
        self.fc2 = nn.Linear(64, 64)
        self.out = nn.Linear(64, 1)

    def forward(self, x):
        x = torch.relu(self.fc1(x))
        x = torch.relu(self.fc2(x))
        return self.out(x)


model = Regressor()
opt = torch.optim.SGD(model.parameters(), lr=0.01)
mse = nn.MSELoss()
for epoch in range(150):
    model.train()
    total = 0
    for xb, yb in loader:
        loss = mse(model(xb), yb)
        loss.backward()
        opt.step()
        total += loss.item() * len(xb)
    if (epoch + 1) % 10 == 0:
        model.eval()
        with torch.no_grad():
            val = mse(model(Xva), yva).item()
        print(f"Epoch {epoch + 1}: train {total / len(train):.4f}, val {val:.4f}")
