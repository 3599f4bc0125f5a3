"""Half precision with a scaler whose first scales are too large, so that some steps are left out."""

import torch
from reproducible import fingerprint, seed_everything
from torch import nn

torch.set_num_threads(1)
seed_everything(14)

net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 1))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**20, growth_interval=25)
weights = torch.randn(10, 1)

for step in range(80):
    x = torch.randn(16, 10)
    optimizer.zero_grad(set_to_none=True)
    with torch.autocast("cpu", dtype=torch.float16):
        prediction = net(x)
        loss = nn.functional.mse_loss(prediction.float(), x @ weights)
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(net.parameters(), 5.0)
    before = scaler.get_scale()
    scaler.step(optimizer)
    scaler.update()
    skipped = scaler.get_scale() < before
    print(f"step {step} {'skipped' if skipped else 'taken'} loss={loss.item()!r} scale={before}")

print(fingerprint(net, optimizer, scaler))
