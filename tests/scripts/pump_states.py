"""State of a pump from short windows of three vibration sensors."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(3)
WINDOWS, STEPS, SENSORS, STATES = 1200, 24, 3, 4


def windows(count):
    state = torch.randint(STATES, (count,))
    turns = torch.arange(STEPS) / STEPS
    phase = 6.28 * torch.rand(count, 1, SENSORS)
    waves = torch.sin(6.28 * (1 + 1.5 * state.float())[:, None, None] * turns[None, :, None] + phase)
    return waves + 0.2 * torch.randn(count, STEPS, SENSORS), state


class PumpState(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.gru = nn.GRU(SENSORS, width)
        self.state = nn.Linear(width, STATES)

    def forward(self, x):
        hidden, _ = self.gru(x)
        return self.state(hidden[:, -1])


train = DataLoader(TensorDataset(*windows(WINDOWS)), batch_size=40, shuffle=True)
held_x, held_y = windows(300)
model = PumpState()
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
loss_of = nn.CrossEntropyLoss()

for epoch in range(12):
    model.train()
    for x, y in train:
        optimizer.zero_grad()
        loss = loss_of(model(x), y)
        loss.backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        scores = model(held_x)
        held = loss_of(scores, held_y).item()
        right = (scores.argmax(1) == held_y).float().mean().item()
    print(f"epoch {epoch}: loss {loss.item():.3f}, held {held:.3f}, right {right:.2f}")
