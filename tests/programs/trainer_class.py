from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from reproducible import fingerprint, seed_everything


@dataclass
class Config:
    width: int = 24
    classes: int = 5
    lr: float = 1e-2
    weight_decay: float = 1e-2
    steps: int = 80
    batch_size: int = 16
    accumulate: int = 3


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, 2 * width)
        self.outer = nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.outer(F.gelu(self.inner(self.norm(x))))


class Classifier(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.stem = nn.Linear(10, config.width)
        self.blocks = nn.ModuleList(Block(config.width) for _ in range(2))
        self.head = nn.Linear(config.width, config.classes)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


class Trainer:
    def __init__(self, config):
        self.config = config
        self.generator = torch.Generator().manual_seed(11)
        self.centres = torch.randn(config.classes, 10, generator=self.generator)
        self.model = Classifier(config)
        self.optimizer = torch.optim.AdamW(
            self.model.parameters(), lr=config.lr, weight_decay=config.weight_decay
        )
        self.step = 0

    def batch(self):
        labels = torch.randint(0, self.config.classes, (self.config.batch_size,), generator=self.generator)
        noise = torch.randn(self.config.batch_size, 10, generator=self.generator)
        return self.centres[labels] + noise, labels

    def train_step(self):
        self.optimizer.zero_grad(set_to_none=True)
        losses = []
        for _ in range(self.config.accumulate):
            inputs, labels = self.batch()
            loss = F.cross_entropy(self.model(inputs), labels)
            loss.backward()
            losses.append(loss.item())
        self.optimizer.step()
        self.step += 1
        return sum(losses) / len(losses)

    def fit(self):
        while self.step < self.config.steps:
            loss = self.train_step()
            print(f"[{self.step}/{self.config.steps}] loss: {loss!r}")


if __name__ == "__main__":
    torch.set_num_threads(1)
    seed_everything(3)
    trainer = Trainer(Config())
    trainer.fit()
    print("sha256", fingerprint(trainer.model, trainer.optimizer, trainer.generator.get_state()))
