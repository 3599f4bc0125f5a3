import warnings

import torch
import torch.nn.functional as F
from reproducible import fingerprint, seed_everything
from torch import fx, nn
from torch.distributed import optim  # compiles classes that use names of their modules

warnings.filterwarnings("ignore", category=DeprecationWarning)
torch.set_num_threads(1)
seed_everything(49)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 20)
        self.fc2 = nn.Linear(20, 3)

    def forward(self, x: torch.Tensor, y: torch.Tensor):
        logits = self.fc2(F.relu(self.fc1(x)))
        return F.cross_entropy(logits, y) + 0.01 * F.mse_loss(logits, torch.zeros_like(logits))


net = Net()
traced = fx.symbolic_trace(net)
scripted = torch.jit.script(net)
print(optim.__name__)
print(traced.code)
print(scripted.code)

optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
teacher = torch.randn(6, 3)
for step in range(60):
    x = torch.randn(16, 6)
    y = (x @ teacher).argmax(1)
    model = scripted if step < 30 else traced
    loss = model(x, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step, "loss", loss.item())
print(fingerprint(net, optimizer))
