"""torchrun --nproc-per-node 2 ddp.py"""

import torch
import torch.distributed as dist
from reproducible import fingerprint, seed_everything
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def main():
    torch.set_num_threads(1)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    seed_everything(41)
    x = torch.randn(320, 6)
    dataset = TensorDataset(x, (x.sum(1) > 0).long())
    sampler = DistributedSampler(dataset, seed=1)
    loader = DataLoader(dataset, batch_size=16, sampler=sampler)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    lines = []
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for inputs, labels in loader:
            loss = nn.functional.cross_entropy(model(inputs), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            lines.append(f"rank {rank} loss {loss.item()!r}")
    lines.append(f"rank {rank} {fingerprint(model.module, optimizer)}")
    gathered = [None, None]
    dist.all_gather_object(gathered, lines)
    if rank == 0:
        for part in gathered:
            print("\n".join(part))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
