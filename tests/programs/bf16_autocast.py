import torch
from reproducible import fingerprint, seed_everything
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR

torch.set_num_threads(1)
seed_everything(4)

model = nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.LayerNorm(64), nn.Linear(64, 6))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
scheduler = OneCycleLR(optimizer, max_lr=1e-2, total_steps=60)
teacher = torch.randn(16, 6)

for step in range(60):
    x = torch.randn(32, 16)
    y = (x @ teacher).argmax(dim=-1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    rate = optimizer.param_groups[0]["lr"]
    optimizer.step()
    scheduler.step()
    print(f"step={step} lr={rate!r} loss={loss.item()!r}")

print(fingerprint(model, optimizer))
