import torch
from reproducible import fingerprint, seed_everything

torch.set_num_threads(1)
seed_everything(22)
x = torch.linspace(-3, 3, 80).unsqueeze(1)
y = torch.tanh(2 * x) + 0.02 * torch.randn_like(x)
model = torch.nn.Sequential(torch.nn.Linear(1, 10), torch.nn.Tanh(), torch.nn.Linear(10, 1))
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=4, history_size=5)


def closure():
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    return loss


for step in range(30):
    loss = optimizer.step(closure)
    print("step", step, "loss", loss.item())
print(fingerprint(model, optimizer))
