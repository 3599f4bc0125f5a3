"""GRU that labels every character of an enciphered text with its plain letter (rotating key)."""
import torch
from torch import nn

torch.manual_seed(33)
LETTERS, LENGTH = 8, 12


def make_text(n):
    plain = torch.randint(0, LETTERS, (n, LENGTH))
    key = torch.arange(LENGTH) % 3
    return (plain + key) % LETTERS, plain


class Decoder(nn.Module):
    def __init__(self, emb=16, hidden=48):
        super().__init__()
        self.emb = nn.Embedding(LETTERS, emb)
        self.gru = nn.GRU(emb, hidden, batch_first=True)
        self.out = nn.Linear(hidden, LETTERS)

    def forward(self, ids):
        states, _ = self.gru(self.emb(ids))
        return self.out(states)


model = Decoder()
optimizer = torch.optim.Rprop(model.parameters(), lr=1e-3)
loss_fn = nn.CrossEntropyLoss()
x_val, y_val = make_text(300)
x_train, y_train = make_text(2000)

for epoch in range(15):
    model.train()
    total = 0.0
    for idx in torch.randperm(len(x_train)).split(32):
        logits = model(x_train[idx])
        loss = loss_fn(logits.reshape(-1, LETTERS), y_train[idx].reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(idx) / len(x_train)
    model.eval()
    with torch.no_grad():
        logits = model(x_val)
        val = loss_fn(logits.reshape(-1, LETTERS), y_val.reshape(-1)).item()
        acc = (logits.argmax(-1) == y_val).float().mean().item()
    print(f"epoch {epoch + 1}: train loss {total:.4f} | val loss {val:.4f} | char acc {acc:.3f}")
