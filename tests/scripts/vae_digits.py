import torch, torch.nn as nn, torch.nn.functional as F
from sklearn.datasets import load_digits

torch.manual_seed(0)
X = torch.tensor(load_digits().data, dtype=torch.float32) / 16
X = X[torch.randperm(len(X))]
Xtr, Xva = X[:1500], X[1500:]

SIGMA = 0.15  # pixel noise of the likelihood

class Encoder(nn.Module):
    def __init__(self, z=8):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.ReLU())
        self.mu = nn.Linear(64, z)
        self.logvar = nn.Linear(64, z)
    def forward(self, x):
        h = self.body(x)
        return self.mu(h), self.logvar(h)

class Decoder(nn.Module):
    def __init__(self, z=8):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(z, 64), nn.ReLU(), nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64), nn.Sigmoid())
    def forward(self, z):
        return self.body(z)

enc, dec = Encoder(), Decoder()
opt_e = torch.optim.Adam(enc.parameters(), lr=2e-3)
opt_d = torch.optim.Adam(dec.parameters(), lr=2e-3)

def elbo(x):
    mu, lv = enc(x)
    z = mu + torch.randn_like(mu) * (0.5 * lv).exp()
    rec = F.mse_loss(dec(z), x, reduction="sum") / (2 * SIGMA ** 2)
    kl = -0.5 * torch.sum(1 + lv - mu.pow(2) - lv.exp())
    return rec, kl

for epoch in range(1, 61):
    perm = torch.randperm(len(Xtr))
    R = K = 0.0
    for i in range(0, len(Xtr), 50):
        x = Xtr[perm[i:i+50]]
        opt_e.zero_grad(); opt_d.zero_grad()
        rec, kl = elbo(x)
        (rec + kl).backward()
        opt_e.step(); opt_d.step()
        R += rec.item(); K += kl.item()
    if epoch % 6 == 0:
        with torch.no_grad():
            r, k = elbo(Xva)
        print(f"epoch {epoch}: train {(R+K)/len(Xtr):.2f} (rec {R/len(Xtr):.2f}, kl {K/len(Xtr):.2f})  val {(r+k).item()/len(Xva):.2f}")
