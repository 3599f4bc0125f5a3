"""Models as people build them, each with a batch: none of them has a fault."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

ROWS = 320
"""Enough for units to be called dead."""


@dataclass(frozen=True, eq=False)
class Case:
    model: nn.Module
    batch: object
    loss: Callable[..., Tensor] | str | None


def labels(classes: int, *shape: int) -> Tensor:
    return torch.randint(0, classes, shape or (ROWS,))


def mlp() -> Case:
    model = nn.Sequential(
        nn.Linear(20, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32),
        nn.ReLU(), nn.Linear(32, 5),
    )  # fmt: skip
    return Case(model, (torch.randn(ROWS, 20), labels(5)), functional.cross_entropy)


def regression() -> Case:
    model = nn.Sequential(nn.Linear(8, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 1))
    x = torch.randn(ROWS, 8)
    return Case(model, (x, x.sum(1, keepdim=True) + 0.1 * torch.randn(ROWS, 1)), nn.MSELoss())


def yes_no() -> Case:
    model = nn.Sequential(nn.BatchNorm1d(12), nn.Linear(12, 32), nn.GELU(), nn.Linear(32, 1))
    x = 50 + 20 * torch.randn(ROWS, 12)
    return Case(model, (x, (x[:, :1] > 50).float()), functional.binary_cross_entropy_with_logits)


class Cnn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        )  # fmt: skip
        self.fc1, self.fc2 = nn.Linear(32 * 16, 64), nn.Linear(64, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.features(x).flatten(1)
        return self.fc2(functional.dropout(functional.relu(self.fc1(x)), 0.5, self.training))


def cnn() -> Case:
    return Case(Cnn(), (torch.randn(64, 3, 16, 16), labels(10, 64)), functional.cross_entropy)


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        nn.init.zeros_(self.bn2.weight)  # as recipes do: each block begins as the identity

    def forward(self, x: Tensor) -> Tensor:
        return functional.relu(x + self.bn2(self.conv2(functional.relu(self.bn1(self.conv1(x))))))


def resnet() -> Case:
    blocks = [Block(16) for _ in range(8)]
    head = [nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10)]
    stem = [nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU()]
    return Case(
        nn.Sequential(*stem, *blocks, *head),
        (torch.randn(32, 3, 12, 12), labels(10, 32)),
        functional.cross_entropy,
    )


class Tagger(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(2000, 32, padding_idx=0)
        self.lstm = nn.LSTM(32, 48, num_layers=2, batch_first=True, bidirectional=True, dropout=0.1)
        self.head = nn.Linear(96, 7)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.lstm(self.embedding(tokens))[0])


def lstm() -> Case:
    def loss(output: Tensor, target: Tensor) -> Tensor:
        return functional.cross_entropy(output.flatten(0, 1), target.flatten())

    return Case(Tagger(), (labels(2000, 48, 20), labels(7, 48, 20)), loss)


class Gpt(nn.Module):
    def __init__(self, layers: int = 4, width: int = 48) -> None:
        super().__init__()
        self.tokens, self.places = nn.Embedding(500, width), nn.Embedding(16, width)
        layer = nn.TransformerEncoderLayer(
            width, 4, 4 * width, dropout=0.1, activation="gelu", batch_first=True, norm_first=True
        )
        self.blocks = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, 500, bias=False)
        self.head.weight = self.tokens.weight
        nn.init.normal_(self.tokens.weight, std=0.02)

    def forward(self, idx: Tensor) -> Tensor:
        x = self.tokens(idx) + self.places(torch.arange(idx.shape[1], device=idx.device))
        mask = nn.Transformer.generate_square_subsequent_mask(idx.shape[1], device=idx.device)
        return self.head(self.norm(self.blocks(x, mask=mask, is_causal=True)))


def transformer() -> Case:
    return Case(Gpt(), (labels(500, 24, 16), labels(500, 24, 16)), "cross_entropy")


class UNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.down1, self.down2 = self._convs(1, 8), self._convs(8, 16)
        self.middle = self._convs(16, 32)
        self.up2, self.up1 = nn.ConvTranspose2d(32, 16, 2, 2), nn.ConvTranspose2d(16, 8, 2, 2)
        self.out2, self.out1 = self._convs(32, 16), self._convs(16, 8)
        self.last = nn.Conv2d(8, 3, 1)

    @staticmethod
    def _convs(channels: int, made: int) -> nn.Sequential:
        return nn.Sequential(
            nn.Conv2d(channels, made, 3, padding=1), nn.GroupNorm(4, made), nn.ReLU(inplace=True),
            nn.Conv2d(made, made, 3, padding=1), nn.GroupNorm(4, made), nn.ReLU(inplace=True),
        )  # fmt: skip

    def forward(self, x: Tensor) -> Tensor:
        first = self.down1(x)
        second = self.down2(functional.max_pool2d(first, 2))
        deep = self.middle(functional.max_pool2d(second, 2))
        deep = self.out2(torch.cat([self.up2(deep), second], 1))
        return self.last(self.out1(torch.cat([self.up1(deep), first], 1)))


def unet() -> Case:
    return Case(UNet(), (torch.randn(16, 1, 16, 16), labels(3, 16, 16, 16)), None)


class Recommender(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.user, self.item = nn.Embedding(5000, 16, sparse=True), nn.Embedding(800, 16)
        self.tower = nn.Sequential(
            nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1)
        )

    def forward(self, user: Tensor, item: Tensor) -> Tensor:
        return self.tower(torch.cat([self.user(user), self.item(item)], 1)).squeeze(1)


def recommender() -> Case:
    batch = (labels(5000), labels(800), torch.randint(0, 2, (ROWS,)).float())
    return Case(Recommender(), batch, functional.binary_cross_entropy_with_logits)


def frozen_backbone() -> Case:
    """A backbone that has learned something elsewhere and is kept, under a new head."""
    backbone = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU())
    settle(backbone, nn.Linear(64, 4), torch.randn(ROWS, 20))
    for parameter in backbone.parameters():
        parameter.requires_grad_(False)
    model = nn.Sequential(backbone, nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 5))
    return Case(model, (torch.randn(ROWS, 20), labels(5)), functional.cross_entropy)


def settle(backbone: nn.Module, head: nn.Module, inputs: Tensor, steps: int = 40) -> None:
    """Train a little, so that weights are no longer as they were drawn."""
    both = nn.Sequential(backbone, head)
    optimizer = torch.optim.Adam(both.parameters(), lr=0.01)
    targets = inputs[:, :4].argmax(1)
    for _ in range(steps):
        optimizer.zero_grad()
        functional.cross_entropy(both(inputs), targets).backward()
        optimizer.step()


def generator() -> Case:
    critic = nn.Sequential(nn.Conv2d(1, 16, 4, 2, 1), nn.LeakyReLU(0.2), nn.Flatten(), nn.Linear(16 * 64, 1))
    model = nn.Sequential(
        nn.Linear(32, 32 * 16), nn.Unflatten(1, (32, 4, 4)), nn.BatchNorm2d(32), nn.ReLU(),
        nn.ConvTranspose2d(32, 16, 4, 2, 1), nn.BatchNorm2d(16), nn.ReLU(),
        nn.ConvTranspose2d(16, 1, 4, 2, 1), nn.Tanh(),
    )  # fmt: skip

    def fools(images: Tensor, target: Tensor) -> Tensor:
        return functional.binary_cross_entropy_with_logits(critic(images), target)

    return Case(model, (torch.randn(64, 32), torch.ones(64, 1)), fools)


def critic() -> Case:
    model = nn.Sequential(
        nn.utils.parametrizations.spectral_norm(nn.Conv2d(1, 16, 4, 2, 1)), nn.LeakyReLU(0.2),
        nn.utils.parametrizations.spectral_norm(nn.Conv2d(16, 32, 4, 2, 1)), nn.LeakyReLU(0.2),
        nn.Flatten(), nn.Linear(32 * 16, 1),
    )  # fmt: skip
    return Case(model, (torch.randn(64, 1, 16, 16), torch.randint(0, 2, (64, 1)).float()), "bce_with_logits")


class TopK(nn.Module):
    """Lets a tenth of the units pass and sets the others to zero: sparse on purpose."""

    def forward(self, x: Tensor) -> Tensor:
        least = x.topk(max(1, x.shape[1] // 10), 1).values[:, -1:]
        return torch.where(x >= least, x, torch.zeros_like(x))


def sparse() -> Case:
    model = nn.Sequential(nn.Linear(32, 256), nn.ReLU(), TopK(), nn.Linear(256, 32))
    x = torch.randn(ROWS, 32)
    return Case(model, x, "mse")


def autoencoder() -> Case:
    model = nn.Sequential(
        nn.Linear(30, 16), nn.ELU(), nn.Linear(16, 4), nn.ELU(), nn.Linear(4, 16), nn.ELU(), nn.Linear(16, 30)
    )
    return Case(model, torch.randn(ROWS, 30), None)


def gru() -> Case:
    class Forecaster(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.gru, self.out = nn.GRU(3, 32, batch_first=True), nn.Linear(32, 1)

        def forward(self, x: Tensor) -> Tensor:
            return self.out(self.gru(x)[0][:, -1])

    x = torch.randn(ROWS, 15, 3)
    return Case(Forecaster(), (x, x[:, -1, :1]), "mse")


ALL: dict[str, Callable[[], Case]] = {
    make.__name__: make
    for make in (
        mlp,
        regression,
        yes_no,
        cnn,
        resnet,
        lstm,
        transformer,
        unet,
        recommender,
        frozen_backbone,
        generator,
        critic,
        sparse,
        autoencoder,
        gru,
    )
}


def made(name: str) -> Case:
    """The same model each time."""
    torch.manual_seed(0)
    return ALL[name]()


def trained(name: str, steps: int = 60) -> Case:
    """The same after some steps on its batch."""
    case = made(name)
    optimizer = torch.optim.Adam(case.model.parameters(), lr=0.003)
    assert isinstance(case.batch, tuple)
    *inputs, target = case.batch
    for _ in range(steps):
        optimizer.zero_grad()
        output = case.model(*inputs)
        if callable(case.loss):
            loss = case.loss(output, target)
        elif output.shape == target.shape:
            loss = functional.mse_loss(output, target)
        else:
            classes = output if output.dim() == 4 else output.movedim(-1, 1)
            loss = functional.cross_entropy(classes, target)
        loss.backward()
        optimizer.step()
    optimizer.zero_grad()
    return case
