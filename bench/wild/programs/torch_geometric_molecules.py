"""Graph regression on small generated graphs: batches of graphs, mean pooling, as in PyG's graph examples."""

import argparse

import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import GINConv, global_add_pool
from torch_geometric.seed import seed_everything

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=3e-3)
parser.add_argument("--batch-size", type=int, default=32)
args = parser.parse_args()

seed_everything(3)


def molecule():
    """A ring with atoms of four kinds; the energy is a sum over atoms and bonds."""
    atoms = torch.randint(0, 4, (int(torch.randint(6, 14, ())),))
    ring = torch.arange(len(atoms))
    edges = torch.stack([torch.cat([ring, ring.roll(-1)]), torch.cat([ring.roll(-1), ring])])
    energy = (atoms.float() - 1.5).sum() + (atoms == atoms.roll(-1)).float().sum() - 2
    return Data(x=F.one_hot(atoms, 4).float(), edge_index=edges, y=energy.view(1) / 4)


graphs = [molecule() for _ in range(1000)]
train_loader = DataLoader(graphs[:800], batch_size=args.batch_size, shuffle=True)
test_loader = DataLoader(graphs[800:], batch_size=200)


class Net(torch.nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.conv1 = GINConv(torch.nn.Sequential(torch.nn.Linear(4, width), torch.nn.ReLU(), torch.nn.Linear(width, width)))
        self.conv2 = GINConv(torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.ReLU(), torch.nn.Linear(width, width)))
        self.lin = torch.nn.Linear(width, 1)

    def forward(self, x, edge_index, batch):
        x = self.conv1(x, edge_index).relu()
        x = self.conv2(x, edge_index).relu()
        return self.lin(global_add_pool(x, batch)).squeeze(-1)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
step = 0
while step < args.steps:
    model.train()
    for data in train_loader:
        optimizer.zero_grad()
        loss = F.mse_loss(model(data.x, data.edge_index, data.batch), data.y)
        loss.backward()
        optimizer.step()
        step += 1
        if step >= args.steps:
            break
    model.eval()
    with torch.no_grad():
        for data in test_loader:
            test_mse = F.mse_loss(model(data.x, data.edge_index, data.batch), data.y).item()
    print(f"step {step} train mse {loss.item():.4f} test mse {test_mse:.4f}")
print(f"test mse {test_mse:.4f}")
