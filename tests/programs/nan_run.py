import torch
from reproducible import fingerprint, seed_everything
from torch import nn

torch.set_num_threads(1)
seed_everything(43)


class LogNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(6, 16)
        self.last = nn.Linear(16, 1)

    def forward(self, x):
        hidden = torch.log(self.first(x).abs() - 1e-3)
        return self.last(hidden)


model = LogNet()
optimizer = torch.optim.SGD(model.parameters(), lr=0.3)
for step in range(60):
    x = torch.randn(20, 6)
    loss = nn.functional.mse_loss(model(x), x[:, :1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step, "loss", loss.item())
print(fingerprint(model, optimizer))
