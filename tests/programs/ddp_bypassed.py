"""torchrun --nproc-per-node 2 ddp_bypassed.py [--wrapped]"""
import sys
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

torch.set_num_threads(1)
dist.init_process_group("gloo")
torch.manual_seed(3)
x = torch.randn(640, 8)
dataset = TensorDataset(x, (x[:, :4].sum(1) > x[:, 4:].prod(1)).long())
sampler = DistributedSampler(dataset, seed=1)
loader = DataLoader(dataset, batch_size=16, sampler=sampler)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
replica = DistributedDataParallel(model)
net = replica if "--wrapped" in sys.argv else replica.module
optimizer = torch.optim.SGD(replica.parameters(), lr=0.1, momentum=0.9)
for epoch in range(6):
    sampler.set_epoch(epoch)
    for inputs, labels in loader:
        loss = nn.functional.cross_entropy(net(inputs), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"rank {dist.get_rank()} epoch {epoch} loss {loss.item():.4f}")
dist.destroy_process_group()
