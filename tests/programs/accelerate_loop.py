import torch
from accelerate import Accelerator
from accelerate.utils import set_seed
from reproducible import fingerprint
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def training_function():
    torch.set_num_threads(1)
    set_seed(12)
    accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
    x = torch.randn(240, 6)
    y = x.pow(2).sum(1, keepdim=True)
    loader = DataLoader(TensorDataset(x, y), batch_size=12, shuffle=True)
    model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (1 + 0.05 * step))
    model, optimizer, loader, scheduler = accelerator.prepare(model, optimizer, loader, scheduler)

    losses = []
    for _ in range(4):
        for inputs, targets in loader:
            with accelerator.accumulate(model):
                loss = nn.functional.mse_loss(model(inputs), targets)
                losses.append(loss.item())
                accelerator.backward(loss)
                if accelerator.sync_gradients:
                    accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
            if accelerator.sync_gradients:
                accelerator.print(f"loss {sum(losses) / len(losses)!r}")
                losses = []
    accelerator.print(fingerprint(accelerator.unwrap_model(model), optimizer))


if __name__ == "__main__":
    training_function()
