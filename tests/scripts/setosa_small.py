# 40 flowers, 80 steps
import torch
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

torch.manual_seed(2)
X, y = load_iris(return_X_y=True)
Xtr, Xva, ytr, yva = train_test_split(X, y, train_size=40, random_state=5, stratify=y)
mean, std = Xtr.mean(axis=0), Xtr.std(axis=0)
f = lambda a: torch.tensor((a - mean) / std, dtype=torch.float32)
Xtr, Xva, ytr, yva = f(Xtr), f(Xva), torch.tensor(ytr), torch.tensor(yva)

model = torch.nn.Sequential(
    torch.nn.Linear(4, 16),
    torch.nn.ReLU(),
    torch.nn.Linear(16, 3),
)
loss_fn = torch.nn.CrossEntropyLoss()
opt = torch.optim.Adam(model.parameters(), lr=0.02)

for step in range(80):
    opt.zero_grad()
    loss = loss_fn(model(Xtr), ytr)
    loss.backward()
    opt.step()
    if (step + 1) % 10 == 0:
        model.eval()
        with torch.no_grad():
            out = model(Xva)
            print("step", step + 1, "train loss", round(loss.item(), 4), "val loss", round(loss_fn(out, yva).item(), 4),
                  "val acc", round((out.argmax(1) == yva).float().mean().item(), 3))
        model.train()
