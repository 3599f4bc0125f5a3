import torch
from reproducible import fingerprint, seed_everything
from torch import nn
from torch.nn.utils import clip_grad_norm_
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence

torch.set_num_threads(1)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 8, padding_idx=0)
        self.lstm = nn.LSTM(8, 12, num_layers=2, dropout=0.1, batch_first=True, bidirectional=True)
        self.out = nn.Linear(24, 2)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.embed(tokens), lengths, batch_first=True, enforce_sorted=False)
        _, (hidden, _) = self.lstm(packed)
        return self.out(torch.cat([hidden[-2], hidden[-1]], dim=1))


def batch(size=10):
    lengths = torch.randint(3, 12, (size,))
    sequences = [torch.randint(1, 20, (int(n),)) for n in lengths]
    labels = torch.tensor([int((s > 10).float().mean() > 0.5) for s in sequences])
    return pad_sequence(sequences, batch_first=True), lengths, labels


if __name__ == "__main__":
    seed_everything(19)
    model = Tagger()
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(60):
        tokens, lengths, labels = batch()
        loss = nn.functional.cross_entropy(model(tokens, lengths), labels)
        optimizer.zero_grad()
        loss.backward()
        norm = clip_grad_norm_(model.parameters(), max_norm=0.25)
        optimizer.step()
        print(f"step {step} loss {loss.item()!r} norm {norm.item()!r}")
    print(fingerprint(model, optimizer))
