import numpy as np
import torch
import torch.nn as nn

torch.manual_seed(42)
rng = np.random.RandomState(42)

# --- data: lot area, living area, year built, overall quality, bathrooms, garage cars, distance to centre (m)
n = 2400
lot = rng.lognormal(9.1, 0.4, n)
area = rng.normal(1500, 450, n).clip(400)
year = rng.randint(1900, 2011, n)
qual = rng.randint(1, 11, n)
bath = rng.randint(1, 4, n)
garage = rng.randint(0, 4, n)
dist = rng.gamma(3, 1500, n)

price = (0.5 * (area - 1500) / 450 + 0.6 * (qual - 5.5) / 2.9 * (1 + 0.3 * np.tanh((year - 1970) / 20))
         + 0.25 * garage - 0.3 * np.log(dist / 4500) + 0.2 * bath + 0.2 * np.log(lot / 9000))
price = price + rng.normal(0, 0.1, n)

X = np.stack([lot, area, year, qual, bath, garage, dist], axis=1)
y = (price - price.mean()) / price.std()

X = torch.tensor(X, dtype=torch.float32)
y = torch.tensor(y, dtype=torch.float32).view(-1, 1)

perm = torch.randperm(n)
tr, va = perm[:2000], perm[2000:]

model = nn.Sequential(
    nn.Linear(7, 64),
    nn.Tanh(),
    nn.Linear(64, 32),
    nn.Tanh(),
    nn.Linear(32, 1),
)
opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
mse = nn.MSELoss()

for epoch in range(80):
    idx = tr[torch.randperm(len(tr))]
    model.train()
    total = 0
    for i in range(0, len(idx), 32):
        b = idx[i:i + 32]
        opt.zero_grad()
        loss = mse(model(X[b]), y[b])
        loss.backward()
        opt.step()
        total += loss.item() * len(b)
    model.eval()
    with torch.no_grad():
        val = mse(model(X[va]), y[va]).item()
    if epoch % 5 == 0:
        print("epoch", epoch, "train", round(total / len(tr), 4), "val", round(val, 4))

with torch.no_grad():
    r2 = 1 - mse(model(X[va]), y[va]).item() / y[va].var().item()
print("R2 on held-out houses:", round(r2, 3))
