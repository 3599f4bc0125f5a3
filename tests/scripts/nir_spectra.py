"""Moisture of grain from NIR spectra: linear calibration on the first 90 PCA scores, trained by SGD."""
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

N_STRONG, N_FINE = 70, 20   # broad baseline components, fine absorption bands


class Lab:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.w_strong = self.rng.normal(size=N_STRONG) / np.sqrt(N_STRONG) * 1.6
        self.w_fine = self.rng.normal(size=N_FINE) / np.sqrt(N_FINE) / 0.1

    def measure(self, n):
        strong = self.rng.normal(size=(n, N_STRONG))
        fine = 0.1 * self.rng.normal(size=(n, N_FINE))
        moisture = strong @ self.w_strong + fine @ self.w_fine + 0.15 * self.rng.normal(size=n)
        scores = np.concatenate([strong, fine], axis=1)
        return torch.tensor(scores, dtype=torch.float32), torch.tensor(moisture, dtype=torch.float32)[:, None]


torch.manual_seed(40)
lab = Lab(40)
x_train, y_train = lab.measure(100)
x_val, y_val = lab.measure(600)

loader = DataLoader(TensorDataset(x_train, y_train), batch_size=25, shuffle=True)
model = nn.Linear(N_STRONG + N_FINE, 1)
nn.init.normal_(model.weight, std=0.02)
opt = torch.optim.SGD(model.parameters(), lr=0.005, momentum=0.9)
loss_fn = nn.MSELoss()

for epoch in range(750):
    model.train()
    run = 0.0
    for xb, yb in loader:
        opt.zero_grad()
        loss = loss_fn(model(xb), yb)
        loss.backward()
        opt.step()
        run += loss.item() * len(xb)
    model.eval()
    with torch.no_grad():
        val = loss_fn(model(x_val), y_val).item()
    if epoch < 12 or (epoch < 60 and epoch % 5 == 0) or epoch % 50 == 49:
        print(f"epoch {epoch + 1:3d}  train mse {run / len(x_train):.4f}  val mse {val:.4f}")
