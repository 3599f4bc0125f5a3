import torch
from torch import nn
from sklearn.datasets import load_digits

torch.manual_seed(0)

digits = load_digits()
X = torch.tensor(digits.data, dtype=torch.float32) / 16.0
Y = torch.tensor(digits.target)

X_train, Y_train = X[:1500], Y[:1500]
X_test, Y_test = X[1500:], Y[1500:]

model = nn.Sequential(
    nn.Linear(64, 128),
    nn.ReLU(),
    nn.Linear(128, 64),
    nn.ReLU(),
    nn.Linear(64, 10),
)
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

batch_size = 50
n_batches = len(X_train) // batch_size

for epoch in range(60):
    # new order every epoch
    X_train = X_train[torch.randperm(len(X_train))]
    Y_train = Y_train[torch.randperm(len(Y_train))]

    model.train()
    train_loss = 0
    correct = 0
    for b in range(n_batches):
        x = X_train[b * batch_size:(b + 1) * batch_size]
        y = Y_train[b * batch_size:(b + 1) * batch_size]
        pred = model(x)
        loss = loss_fn(pred, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        train_loss += loss.item()
        correct += (pred.argmax(1) == y).sum().item()

    model.eval()
    with torch.no_grad():
        out = model(X_test)
        test_loss = loss_fn(out, Y_test).item()
        test_acc = (out.argmax(1) == Y_test).float().mean().item()
    if epoch % 5 == 4:
        print(f"Epoch {epoch + 1}: train loss {train_loss / n_batches:.4f}, train acc {100 * correct / len(X_train):.1f}%, "
              f"test loss {test_loss:.4f}, test acc {100 * test_acc:.1f}%")
