import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
rng = np.random.default_rng(0)

# sum of two sines, scaled into (-1, 1); predict the next value from the last 40
t = np.arange(6000) * 0.1
series = 0.6 * np.sin(t) + 0.4 * np.sin(0.37 * t + 1.0)
series = 0.9 * series / np.abs(series).max()
series = series.astype(np.float32)

T = 40
X = np.stack([series[i:i + T] for i in range(len(series) - T)])[:, :, None]
Y = series[T:][:, None]
cut = 4800
train = TensorDataset(torch.from_numpy(X[:cut]), torch.from_numpy(Y[:cut]))
val = TensorDataset(torch.from_numpy(X[cut:]), torch.from_numpy(Y[cut:]))
train_dl = DataLoader(train, batch_size=64, shuffle=True)
val_dl = DataLoader(val, batch_size=512)


class Forecaster(nn.Module):
    def __init__(self, hidden=32):
        super().__init__()
        self.rnn = nn.RNN(1, hidden, nonlinearity="tanh", batch_first=True)
        self.fc = nn.Linear(hidden, 1)

    def forward(self, x):
        out, _ = self.rnn(x)
        return torch.tanh(self.fc(out[:, -1]))


model = Forecaster()
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
EPOCHS = 14
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, EPOCHS)
mse = nn.MSELoss()

for epoch in range(EPOCHS):
    model.train()
    tot = 0.0
    for xb, yb in train_dl:
        opt.zero_grad()
        loss = mse(model(xb), yb)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        tot += loss.item() * len(xb)
    sched.step()
    model.eval()
    with torch.no_grad():
        v = sum(mse(model(xb), yb).item() * len(xb) for xb, yb in val_dl) / len(val)
    print(f"epoch {epoch + 1:2d}  train {tot / len(train):.2e}  val {v:.2e}")
