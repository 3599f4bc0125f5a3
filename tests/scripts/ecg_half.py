"""Beat classification on synthetic ECG-like traces, small memory footprint."""
import math

import torch
from torch import nn

torch.manual_seed(16)
DTYPE = torch.float16


def beats(n, length=96):
    t = torch.linspace(-1, 1, length)
    y = torch.randint(0, 4, (n,))
    width = torch.tensor([0.05, 0.10, 0.05, 0.10])[y]
    second = torch.tensor([0.2, 0.2, 0.5, 0.5])[y]
    shift = 0.2 * torch.randn(n)
    x = torch.exp(-((t - shift[:, None]) / width[:, None]) ** 2)
    x = x + second[:, None] * torch.exp(-((t - shift[:, None] - 0.35) / 0.12) ** 2)
    x = x + 0.1 * torch.randn(n, length)
    return ((x - x.mean()) / x.std())[:, None, :].to(DTYPE), y


class BeatNet(nn.Module):
    def __init__(self, ch=16, classes=4):
        super().__init__()
        self.conv1 = nn.Conv1d(1, ch, 7, padding=3, stride=2)
        self.conv2 = nn.Conv1d(ch, ch, 5, padding=2, stride=2)
        self.conv3 = nn.Conv1d(ch, ch, 5, padding=2, stride=2)
        self.fc = nn.Linear(ch * 12, classes)

    def forward(self, x):
        x = torch.relu(self.conv1(x))
        x = torch.relu(self.conv2(x))
        x = torch.relu(self.conv3(x))
        return self.fc(x.flatten(1))


model = BeatNet().to(DTYPE)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
criterion = nn.CrossEntropyLoss()
x_train, y_train = beats(2000)
x_val, y_val = beats(500)

for epoch in range(1, 13):
    model.train()
    losses = []
    for idx in torch.randperm(len(x_train)).split(50):
        optimizer.zero_grad()
        loss = criterion(model(x_train[idx]), y_train[idx])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.eval()
    with torch.no_grad():
        out = model(x_val).float()
        val_loss, acc = criterion(out, y_val).item(), (out.argmax(1) == y_val).float().mean().item()
    print(f"epoch {epoch}: train {math.fsum(losses) / len(losses):.4f}  val {val_loss:.4f}  acc {acc:.3f}")
