import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(10)
np.random.seed(10)

# sqft_living, bedrooms, bathrooms, grade, view, lat, long, age
n = 3000
sqft = np.random.lognormal(7.5, 0.4, n)
bed = np.random.randint(1, 6, n)
bath = np.random.randint(1, 5, n)
grade = np.random.randint(4, 13, n)
view = np.random.randint(0, 5, n)
lat = np.random.normal(47.56, 0.14, n)
lon = np.random.normal(-122.2, 0.14, n)
age = np.random.randint(0, 100, n)
price = (150 * sqft * (1 + 0.12 * (grade - 7)) + 30000 * view + 8000 * bath
         + 220000 * np.exp(-((lat - 47.62) ** 2 + (lon + 122.25) ** 2) / 0.02) - 700 * age + np.random.normal(0, 15000, n))
price = np.clip(price, 75000, None)

X = np.stack([sqft, bed, bath, grade, view, lat, lon, age], 1)
X = (X - X.mean(0)) / X.std(0)
X = torch.tensor(X, dtype=torch.float32)
y = torch.tensor(price, dtype=torch.float32).unsqueeze(1)

train_ds = TensorDataset(X[:2400], y[:2400])
val_X, val_y = X[2400:], y[2400:]
train_dl = DataLoader(train_ds, batch_size=64, shuffle=True)


class PriceNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 1))

    def forward(self, x):
        return self.layers(x)


model = PriceNet()
loss_func = nn.MSELoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)

for epoch in range(60):
    model.train()
    total = 0
    for xb, yb in train_dl:
        optimizer.zero_grad()
        loss = loss_func(model(xb), yb)
        loss.backward()
        optimizer.step()
        total += loss.item()
    if (epoch + 1) % 5 == 0:
        model.eval()
        with torch.no_grad():
            pred = model(val_X)
            val = loss_func(pred, val_y)
            r2 = 1 - val / val_y.var()
        print(f"Epoch {epoch + 1}/60  train loss {total / len(train_dl):.6g}  val loss {val:.6g}  R2 {r2:.3f}")
