"""Linear equaliser: recover a filtered excitation from a window of a coloured (AR) signal, one pass over a stream."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
WINDOW, RHO, NOISE = 32, 0.95, 0.7
STEPS, BATCH = 3000, 4

taps = torch.randn(WINDOW) * torch.exp(-torch.arange(WINDOW) / 12.0)
taps = taps / taps.norm()


def record(n, noise):
    excitation = torch.randn(n, WINDOW + 60)
    signal = torch.zeros_like(excitation)
    for t in range(1, WINDOW + 60):
        signal[:, t] = RHO * signal[:, t - 1] + (1 - RHO ** 2) ** 0.5 * excitation[:, t]
    target = excitation[:, -WINDOW:].flip(1) @ taps + noise * torch.randn(n)
    return signal[:, -WINDOW:].flip(1), target.unsqueeze(1)


x_val, y_val = record(1000, noise=0.0)
stream = DataLoader(TensorDataset(*record(STEPS * BATCH, NOISE)), batch_size=BATCH, shuffle=True)

model = nn.Linear(WINDOW, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.015)
mse = nn.MSELoss()
running = 0.0
for step, (x, y) in enumerate(stream, 1):
    optimizer.zero_grad()
    loss = mse(model(x), y)
    loss.backward()
    optimizer.step()
    running += loss.item()
    if step % 100 == 0:
        with torch.no_grad():
            val = mse(model(x_val), y_val).item()
        print(f"step {step:5d} train {running / 100:.4f} val {val:.4f}")
        running = 0.0
