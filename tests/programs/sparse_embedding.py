import torch
import torch.nn as nn
from reproducible import fingerprint, seed_everything

torch.set_num_threads(1)
seed_everything(54)


class Recommender(nn.Module):
    def __init__(self):
        super().__init__()
        self.users = nn.Embedding(50, 6, sparse=True)
        self.items = nn.EmbeddingBag(40, 6, sparse=True, mode="sum")

    def forward(self, user, items):
        return (self.users(user) * self.items(items)).sum(-1)


model = Recommender()
optimizer = torch.optim.SparseAdam(list(model.parameters()), lr=0.02)
taste = torch.randn(50)
for step in range(60):
    user = torch.randint(0, 50, (32,))
    items = torch.randint(0, 40, (32, 3))
    liked = (taste[user] > 0).float()
    loss = nn.functional.binary_cross_entropy_with_logits(model(user, items), liked)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("step", step, "loss", loss.item())
print(fingerprint(model, optimizer))
