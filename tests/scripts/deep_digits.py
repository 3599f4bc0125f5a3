# digits with a deep fully connected network
import torch
import torch.nn as nn
from sklearn.datasets import load_digits

torch.manual_seed(1)
d = load_digits()
X = torch.tensor(d.data, dtype=torch.float)
X = (X - X.mean(0)) / (X.std(0) + 1e-6)
Y = torch.tensor(d.target)
idx = torch.randperm(len(X))
Xtr, Ytr, Xte, Yte = X[idx[:1400]], Y[idx[:1400]], X[idx[1400:]], Y[idx[1400:]]

act = nn.Sigmoid
width, depth = 100, 8
layers = [nn.Linear(64, width), act()]
for _ in range(depth - 1):
    layers += [nn.Linear(width, width), act()]
layers.append(nn.Linear(width, 10))
net = nn.Sequential(*layers)

opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
lossf = nn.CrossEntropyLoss()
bs = 50
for ep in range(40):
    p = torch.randperm(len(Xtr))
    tot = 0.
    for i in range(0, len(p), bs):
        j = p[i:i + bs]
        opt.zero_grad()
        l = lossf(net(Xtr[j]), Ytr[j])
        l.backward()
        opt.step()
        tot += l.item() * len(j)
    with torch.no_grad():
        out = net(Xte)
        vl = lossf(out, Yte).item()
        acc = (out.argmax(1) == Yte).float().mean().item()
    print('epoch', ep, 'loss', round(tot / len(Xtr), 4), 'test loss', round(vl, 4), 'test acc', round(acc, 3))
