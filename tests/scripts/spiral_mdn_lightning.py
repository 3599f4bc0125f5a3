"""Mixture density network: the robot arm angle for a tool height has several answers."""
import math
import warnings

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

warnings.filterwarnings("ignore")
L.seed_everything(1)

N = 6000
y = torch.rand(N, 1) * 2 - 1
x = y + 0.3 * torch.sin(2 * math.pi * y) + 0.1 * torch.randn(N, 1)   # rows are drawn independently
train = TensorDataset(x[:5000], y[:5000])
val = TensorDataset(x[5000:], y[5000:])


class MDN(L.LightningModule):
    def __init__(self, k=8, hidden=48):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(1, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh())
        self.pi = nn.Linear(hidden, k)
        self.mu = nn.Linear(hidden, k)
        self.log_sigma = nn.Linear(hidden, k)
        nn.init.constant_(self.log_sigma.bias, -1.0)

    def nll(self, x, y):
        h = self.body(x)
        logpi = torch.log_softmax(self.pi(h), -1)
        ls = self.log_sigma(h).clamp(-7, 3)
        logp = -0.5 * ((y - self.mu(h)) / ls.exp()).pow(2) - ls - 0.5 * math.log(2 * math.pi)
        return -torch.logsumexp(logpi + logp, -1).mean()

    def training_step(self, batch, _):
        loss = self.nll(*batch)
        self.log("nll", loss, on_epoch=True, on_step=False)
        return loss

    def validation_step(self, batch, _):
        self.log("val_nll", self.nll(*batch))

    def on_train_epoch_end(self):
        m = self.trainer.callback_metrics
        print(f"epoch {self.current_epoch:2d}  val nll {m.get('val_nll', torch.tensor(float('nan'))):.3f}")

    def configure_optimizers(self):
        opt = torch.optim.Adam(self.parameters(), lr=2e-3)
        sched = torch.optim.lr_scheduler.CyclicLR(opt, base_lr=5e-4, max_lr=1.5e-2, step_size_up=150, mode="triangular2",
                                                  cycle_momentum=False)
        return {"optimizer": opt, "lr_scheduler": {"scheduler": sched, "interval": "step"}}


trainer = L.Trainer(max_epochs=25, accelerator="cpu", logger=False, enable_checkpointing=False, gradient_clip_val=1.0,
                    enable_progress_bar=False, enable_model_summary=False)
trainer.fit(MDN(), DataLoader(train, batch_size=100, shuffle=False), DataLoader(val, batch_size=1000))
print({k: round(v.item(), 3) for k, v in trainer.callback_metrics.items()})
