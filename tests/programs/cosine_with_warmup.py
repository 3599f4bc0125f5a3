import torch
import torch.nn as nn
from reproducible import fingerprint, seed_everything
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR

torch.set_num_threads(1)
seed_everything(13)

model = nn.Sequential(nn.Embedding(30, 12), nn.Flatten(), nn.Linear(12 * 5, 30))
no_decay = [model[2].bias]
decay = [model[0].weight, model[2].weight]
optimizer = torch.optim.AdamW(
    [{"params": decay, "weight_decay": 0.1}, {"params": no_decay, "weight_decay": 0.0, "lr": 2e-2}], lr=1e-2
)
scheduler = SequentialLR(
    optimizer,
    [LinearLR(optimizer, 0.1, total_iters=10), CosineAnnealingLR(optimizer, T_max=80)],
    milestones=[10],
)

for step in range(90):
    start = torch.randint(0, 30, (16, 1))
    sequence = (start + 3 * torch.arange(6)) % 30
    logits = model(sequence[:, :5])
    loss = nn.functional.cross_entropy(logits, sequence[:, 5], label_smoothing=0.05)
    optimizer.zero_grad()
    loss.backward()
    rates = [group["lr"] for group in optimizer.param_groups]
    optimizer.step()
    scheduler.step()
    print(f"step {step} loss {loss.item()!r} lr={rates[0]!r} bias_lr={rates[1]!r}")

print(fingerprint(model, optimizer, scheduler))
