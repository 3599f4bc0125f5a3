import torch
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch import nn


class GatedLayer(nn.Module):
    """Linear map followed by a steep logistic gate."""

    def __init__(self, n_in, n_out, slope=60.0):
        super().__init__()
        self.linear = nn.Linear(n_in, n_out)
        self.slope = slope

    def forward(self, x):
        return 2 * torch.sigmoid(self.slope * self.linear(x)) - 1


class WineNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = GatedLayer(13, 48)
        self.l2 = GatedLayer(48, 48)
        self.l3 = GatedLayer(48, 48)
        self.l4 = GatedLayer(48, 8)
        self.out = nn.Linear(8, 3)

    def forward(self, x):
        return self.out(self.l4(self.l3(self.l2(self.l1(x)))))


torch.manual_seed(21)
X, y = load_wine(return_X_y=True)
X_tr, X_te, y_tr, y_te = train_test_split(X, y, test_size=0.3, stratify=y, random_state=21)
scaler = StandardScaler().fit(X_tr)
X_tr = torch.tensor(scaler.transform(X_tr), dtype=torch.float32)
X_te = torch.tensor(scaler.transform(X_te), dtype=torch.float32)
y_tr, y_te = torch.tensor(y_tr), torch.tensor(y_te)

model = WineNet()
opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
ce = nn.CrossEntropyLoss()
for epoch in range(1, 251):
    model.train()
    perm = torch.randperm(len(X_tr))
    losses = []
    for chunk in perm.split(16):
        opt.zero_grad()
        loss = ce(model(X_tr[chunk]), y_tr[chunk])
        loss.backward()
        opt.step()
        losses.append(loss.item())
    if epoch % 25 == 0:
        model.eval()
        with torch.no_grad():
            out = model(X_te)
        print(f"epoch {epoch}: train loss {sum(losses) / len(losses):.4f}  test loss {ce(out, y_te):.4f}  "
              f"test acc {(out.argmax(1) == y_te).float().mean():.3f}")
