import numpy as np
import torch
import torch.nn as nn
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
np.random.seed(1)

# species codes as they stand in our lab's spreadsheet
SPECIES = {"setosa": 1, "versicolor": 2, "virginica": 3}

iris = load_iris()
names = iris.target_names[iris.target]
codes = np.array([SPECIES[n] for n in names])

X_train, X_test, y_train, y_test = train_test_split(
    iris.data.astype("float32"), codes, test_size=0.2, random_state=1, stratify=codes)
sc = StandardScaler().fit(X_train)
X_train, X_test = sc.transform(X_train), sc.transform(X_test)

train_loader = DataLoader(TensorDataset(torch.tensor(X_train), torch.tensor(y_train)), batch_size=16, shuffle=True)

net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, len(SPECIES)))
optimizer = torch.optim.Adam(net.parameters(), lr=5e-3)
criterion = nn.CrossEntropyLoss()

for epoch in range(60):
    net.train()
    running = 0.0
    for xb, yb in train_loader:
        optimizer.zero_grad()
        loss = criterion(net(xb), yb)
        loss.backward()
        optimizer.step()
        running += loss.item() * len(xb)
    if epoch % 5 == 0:
        net.eval()
        with torch.no_grad():
            acc = (net(torch.tensor(X_test)).argmax(1) == torch.tensor(y_test)).float().mean().item()
        print(f"epoch {epoch:3d}  loss {running / len(X_train):.4f}  test acc {acc:.3f}")
