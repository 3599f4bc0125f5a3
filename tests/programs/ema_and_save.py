import copy
import hashlib
import io
import tempfile
from pathlib import Path

import torch
import torch.nn.functional as F
from reproducible import fingerprint, seed_everything
from torch import nn

torch.set_num_threads(1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(5, 16), nn.SiLU(), nn.Linear(16, 3))
        self.criterion = F.cross_entropy

    def forward(self, x):
        return self.layers(x)


def digest_of(thing):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "checkpoint.pt"
        torch.save(thing, path)
        return hashlib.sha256(path.read_bytes()).hexdigest()


@torch.no_grad()
def blend(average, model, decay=0.9):
    for slow, fast in zip(average.parameters(), model.parameters(), strict=True):
        slow.lerp_(fast, 1 - decay)


if __name__ == "__main__":
    seed_everything(45)
    model = Net()
    average = copy.deepcopy(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    teacher = torch.randn(5, 3)
    for step in range(60):
        x = torch.randn(16, 5)
        loss = model.criterion(model(x), (x @ teacher).argmax(1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        blend(average, model)
        print("step", step, "loss", loss.item())
        if step % 20 == 19:
            print("model file", digest_of(model))
            print("optimizer file", digest_of(optimizer))
            buffer = io.BytesIO()
            torch.save(average, buffer)
            buffer.seek(0)
            again = torch.load(buffer, weights_only=False)
            print("hooks", len(again._forward_hooks), len(again._backward_hooks), sorted(vars(again)))
    print(fingerprint(model, average, optimizer))
