"""Semi-supervised node classification with a graph convolution network, after PyG's introduction by example."""

import argparse

import torch
import torch.nn.functional as F
from torch_geometric.data import Data
from torch_geometric.nn import GCNConv
from torch_geometric.utils import stochastic_blockmodel_graph

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=0.01)
parser.add_argument("--weight-decay", type=float, default=5e-3)
parser.add_argument("--dropout", type=float, default=0.5)
parser.add_argument("--hidden", type=int, default=16)
args = parser.parse_args()

torch.manual_seed(12)
sizes = [120] * 5
edge_probability = torch.full((5, 5), 0.004) + torch.eye(5) * 0.03
y = torch.arange(5).repeat_interleave(120)
x = torch.randn(600, 30) + 0.7 * F.one_hot(y, 5).float() @ torch.randn(5, 30)
data = Data(x=x, edge_index=stochastic_blockmodel_graph(sizes, edge_probability), y=y)
shuffled = torch.randperm(600)
train, valid, test = shuffled[:100], shuffled[100:250], shuffled[250:]


class GCN(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = GCNConv(30, args.hidden)
        self.conv2 = GCNConv(args.hidden, 5)

    def forward(self, data):
        x = self.conv1(data.x, data.edge_index)
        x = F.relu(x)
        x = F.dropout(x, p=args.dropout, training=self.training)
        x = self.conv2(x, data.edge_index)
        return F.log_softmax(x, dim=1)


model = GCN()
optimizer = torch.optim.Adam(model.parameters(), lr=args.lr, weight_decay=args.weight_decay)
for epoch in range(args.steps):
    model.train()
    optimizer.zero_grad()
    out = model(data)
    loss = F.nll_loss(out[train], data.y[train])
    loss.backward()
    optimizer.step()
    if epoch % 20 == 19:
        model.eval()
        with torch.no_grad():
            out = model(data)
        val_loss = F.nll_loss(out[valid], data.y[valid])
        print(f"epoch {epoch + 1} loss {loss.item():.4f} val loss {val_loss.item():.4f}")
model.eval()
print(f"test accuracy {(model(data).argmax(dim=1)[test] == data.y[test]).float().mean().item():.4f}")
