"""The small networks the cases train."""

from itertools import pairwise

import torch
from torch import Tensor, nn

Act = type[nn.Module]


def mlp(*widths: int, act: Act = nn.ReLU, dropout: float = 0.0, norm: bool = False) -> nn.Sequential:
    """Linear layers of the given widths with an activation between them."""
    layers: list[nn.Module] = []
    for i, (come, go) in enumerate(pairwise(widths)):
        layers.append(nn.Linear(come, go))
        if i < len(widths) - 2:
            layers += [nn.BatchNorm1d(go)] if norm else []
            layers += [act()] + ([nn.Dropout(dropout)] if dropout else [])
    return nn.Sequential(*layers)


def cnn(width: int = 16, dropout: float = 0.0, norm: bool = False, momentum: float = 0.1) -> nn.Sequential:
    """Two convolutions and a linear head for 8 by 8 pictures."""

    def block(come: int, go: int) -> list[nn.Module]:
        batch_norm = [nn.BatchNorm2d(go, momentum=momentum)] if norm else []
        return [nn.Conv2d(come, go, 3, padding=1), *batch_norm, nn.ReLU(), nn.MaxPool2d(2)]

    head = [nn.Flatten(), nn.Dropout(dropout), nn.Linear(width * 8, 10)]
    return nn.Sequential(*block(1, width), *block(width, 2 * width), *head)


def scaled(model: nn.Module, factor: float) -> nn.Module:
    """The model with every weight multiplied: a bad initialization."""
    with torch.no_grad():
        for weight in model.parameters():
            weight.mul_(factor)
    return model


def frozen(model: nn.Module) -> nn.Module:
    """The model with no parameter that learns."""
    return model.requires_grad_(False)


def masks(width: int = 8) -> nn.Sequential:
    """A convolution net that gives one logit per pixel."""
    inner = nn.Conv2d(width, width, 3, padding=1)
    first = nn.Conv2d(1, width, 3, padding=1)
    return nn.Sequential(first, nn.ReLU(), inner, nn.ReLU(), nn.Conv2d(width, 1, 3, padding=1))


class Recurrent(nn.Module):
    """An RNN or LSTM whose last state gives one number, or each state a letter."""

    def __init__(self, cell: str, width: int, letters: int = 0, gain: float = 0.0) -> None:
        super().__init__()
        kinds = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}
        self.embed = nn.Embedding(letters, width) if letters else None
        self.core = kinds[cell](width if letters else 1, width, batch_first=True)
        self.head = nn.Linear(width, letters or 1)
        if gain:
            nn.init.orthogonal_(self.core.weight_hh_l0, gain)

    def forward(self, x: Tensor) -> Tensor:
        """Logits per place, or one number per sequence."""
        states, _ = self.core(self.embed(x) if self.embed else x)
        out: Tensor = self.head(states) if self.embed else self.head(states[:, -1])[:, 0]
        return out


class Transformer(nn.Module):
    """A small causal character model."""

    def __init__(
        self, letters: int, width: int = 32, depth: int = 2, first: bool = True, dropout: float = 0.0
    ):
        super().__init__()
        self.embed = nn.Embedding(letters, width)
        self.place = nn.Parameter(0.02 * torch.randn(64, width))
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout, batch_first=True, norm_first=first)
        self.body = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.head = nn.Linear(width, letters)

    def forward(self, x: Tensor) -> Tensor:
        """Logits of the next letter at each place."""
        length = x.shape[1]
        hidden = self.embed(x) + self.place[:length]
        mask = nn.Transformer.generate_square_subsequent_mask(length)
        logits: Tensor = self.head(self.body(hidden, mask=mask, is_causal=True))
        return logits


class Views(nn.Module):
    """Unit embeddings of both views of each input."""

    def __init__(self) -> None:
        super().__init__()
        self.body = mlp(64, 64, 32)

    def forward(self, x: Tensor) -> Tensor:
        """Embeddings of shape batch, 2, 32."""
        return nn.functional.normalize(self.body(x), dim=-1)


class Variational(nn.Module):
    """A variational autoencoder of vectors; gives the picture, the mean and the log-variance side by side."""

    def __init__(self, inputs: int = 64, latent: int = 4) -> None:
        super().__init__()
        self.encode = mlp(inputs, 64, 2 * latent)
        self.decode = mlp(latent, 64, inputs)

    def forward(self, x: Tensor) -> Tensor:
        """Reconstruction, mean and log-variance along the last axis."""
        mean, spread = self.encode(x).chunk(2, -1)
        sample = mean + (spread / 2).exp() * torch.randn_like(mean)
        return torch.cat([self.decode(sample), mean, spread], -1)


class SquaredRelu(nn.Module):
    """A network with squared ReLUs, whose hidden values leave the range of float16 for large inputs."""

    def __init__(self, input_scale: float) -> None:
        super().__init__()
        self.input_scale = input_scale
        self.inner, self.outer = nn.Linear(64, 128), nn.Linear(128, 10)
        scaled(self.outer, 0.003)

    def forward(self, x: Tensor) -> Tensor:
        """Logits of ten classes."""
        logits: Tensor = self.outer(self.inner(self.input_scale * x).relu().square())
        return logits
