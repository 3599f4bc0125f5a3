"""One-step-ahead forecasting of noisy two-tone signals with a ReLU RNN (identity start, Le et al. 2015)."""
import torch
from torch import nn

torch.manual_seed(0)
T, HIDDEN, BATCH, STEPS = 100, 64, 32, 400


def sample(n):
    t = torch.arange(T + 1) * 0.2
    freq = torch.rand(n, 2, 1) * 1.5 + 0.5
    phase = torch.rand(n, 2, 1) * 6.283
    s = torch.sin(freq * t + phase).sum(1) + 0.05 * torch.randn(n, T + 1)
    return s[:, :-1, None], s[:, 1:]


class Forecaster(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.rnn = nn.RNN(1, hidden, nonlinearity="relu", batch_first=True)
        nn.init.eye_(self.rnn.weight_hh_l0)
        self.head = nn.Linear(hidden, 1)

    def forward(self, x):
        states, _ = self.rnn(x)
        return self.head(states).squeeze(-1)


model = Forecaster(HIDDEN)
optimizer = torch.optim.SGD(model.parameters(), lr=0.002, momentum=0.9)
mse = nn.MSELoss()
val_x, val_y = sample(200)
for step in range(1, STEPS + 1):
    x, y = sample(BATCH)
    loss = mse(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 20 == 0 or step < 5:
        with torch.no_grad():
            val = mse(model(val_x), val_y)
        print(f"step {step:4d}  train {loss.item():.4f}  val {val.item():.4f}")
