import torch
import torch.nn as nn
import torch.optim as optim
from reproducible import fingerprint, seed_everything

torch.set_num_threads(1)


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        loss = nn.functional.l1_loss(model(x), y)
    model.train()
    return loss.item()


def train(epochs=12):
    seed_everything(21)
    x = torch.rand(300, 2) * 4 - 2
    y = torch.sin(x[:, :1]) * x[:, 1:]
    x_train, y_train, x_val, y_val = x[:240], y[:240], x[240:], y[240:]
    model = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = optim.RMSprop(model.parameters(), lr=0.03)
    scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, factor=0.5, threshold=0.05)
    for epoch in range(epochs):
        order = torch.randperm(240)
        for chunk in order.split(40):
            optimizer.zero_grad()
            loss = nn.functional.l1_loss(model(x_train[chunk]), y_train[chunk])
            loss.backward()
            lr = optimizer.param_groups[0]["lr"]
            optimizer.step()
            print(f"train_loss {loss.item()!r} lr={lr!r}")
        val_loss = evaluate(model, x_val, y_val)
        scheduler.step(val_loss)
        print(f"epoch {epoch} val_loss {val_loss!r}")
    return fingerprint(model, optimizer)


if __name__ == "__main__":
    print(train())
