# no optimizer, no module: the first lesson of every course
import torch
from reproducible import fingerprint, seed_everything

torch.set_num_threads(1)
seed_everything(23)
x = torch.randn(100, 3)
y = x @ torch.tensor([[1.0], [-2.0], [0.5]]) + 3.0

w1 = (torch.randn(3, 8) * 0.5).requires_grad_()
b1 = torch.zeros(8, requires_grad=True)
w2 = (torch.randn(8, 1) * 0.5).requires_grad_()
b2 = torch.zeros(1, requires_grad=True)
params = [w1, b1, w2, b2]
lr = 0.05

for step in range(80):
    prediction = torch.relu(x @ w1 + b1) @ w2 + b2
    loss = ((prediction - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for p in params:
            p.sub_(lr * p.grad)
            p.grad = None
    print("step", step, "loss", loss.item())
print(fingerprint(*params))
