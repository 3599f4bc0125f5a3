import torch
import torch.nn as nn
import torch.nn.functional as F
from reproducible import fingerprint, seed_everything

torch.set_num_threads(1)
seed_everything(32)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 16)
        self.fc2 = nn.Linear(16, 4)

    def forward(self, x, y):
        logits = self.fc2(F.silu(self.fc1(x)))
        return logits, F.cross_entropy(logits, y)


net = Net()
compiled = torch.compile(net)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
teacher = torch.randn(6, 4)
for step in range(60):
    x = torch.randn(20, 6)
    _, loss = compiled(x, (x @ teacher).argmax(1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step, "loss", loss.item())

print("graphs", torch._dynamo.utils.counters["stats"]["unique_graphs"])
print("breaks", dict(torch._dynamo.utils.counters["graph_break"]))
print(fingerprint(net, optimizer))
