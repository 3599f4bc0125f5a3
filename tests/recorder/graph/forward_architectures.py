# mypy: allow-subclassing-any
"""The same in attention, recurrent, convolutional and transformer networks."""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.recorder.graph.program import Net, Shelf, Step, step_of
from traindx.recorder.graph.origin import Source

INFINITY = math.inf
NAN = math.nan

ARCHITECTURES = Shelf()


class Attention(nn.Module):
    """One head, written out."""

    def __init__(self, mask: Callable[[Tensor], Tensor]) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(8, 8) for _ in range(3))
        self.out = nn.Linear(8, 2)
        self.mask = mask

    def forward(self, batch: Tensor) -> Tensor:
        scores = self.query(batch) @ self.key(batch).transpose(-1, -2) / math.sqrt(8)
        return self.out(self.mask(scores).softmax(-1) @ self.value(batch))


def _hidden(rows: int = 1) -> Tensor:
    hidden = torch.zeros(4, 5, 5, dtype=torch.bool)
    hidden[2, :rows] = True
    return hidden


@ARCHITECTURES.add(
    "softmax", "key", says="softmax of rows that are all -inf after layer `key`: 1 of 20 rows is NaN"
)
def attention_with_a_masked_row() -> Step:
    net = Attention(lambda scores: scores.masked_fill(_hidden(), -INFINITY))
    return step_of(net, batch=torch.randn(4, 5, 8))


@ARCHITECTURES.add("softmax", "key", says="2 of 20 rows are NaN")
def attention_with_an_added_mask() -> Step:
    mask = torch.zeros(4, 5, 5).masked_fill(_hidden(2), -INFINITY)
    return step_of(Attention(lambda scores: scores + mask), batch=torch.randn(4, 5, 8))


@ARCHITECTURES.add("softmax", "key", says="1 of 20 rows is NaN")
def attention_masked_by_where() -> Step:
    net = Attention(lambda scores: torch.where(_hidden(), -INFINITY, scores))
    return step_of(net, batch=torch.randn(4, 5, 8))


@ARCHITECTURES.add("bmm", "key", says="bmm overflows float16 after layer `key`")
def attention_scores_overflow_in_half() -> Step:
    net = Attention(lambda scores: scores.masked_fill(_hidden(0), -INFINITY)).half()
    with torch.no_grad():
        net.query.weight.mul_(300)
        net.key.weight.mul_(300)
    return step_of(net, batch=torch.randn(4, 5, 8).half() * 10)


class Recurrent(nn.Module):
    def __init__(self, kind: type[nn.RNNBase]) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 8)
        self.rnn = kind(8, 8, batch_first=True)
        self.head = nn.Linear(8, 20)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.rnn(self.embedding(tokens))[0])


def _language(kind: type[nn.RNNBase]) -> tuple[Recurrent, Step]:
    net, tokens = Recurrent(kind), torch.arange(24).view(4, 6) % 20
    return net, Step(net, lambda: functional.cross_entropy(net(tokens).flatten(0, 1), tokens.flatten()))


@ARCHITECTURES.add("lstm", "rnn", Source.PARAMETER, "`rnn.weight_hh_l0` has 1 NaN in 256 values")
def lstm_weight() -> Step:
    net, step = _language(nn.LSTM)
    with torch.no_grad():
        net.rnn.weight_hh_l0[0, 0] = NAN
    return step


@ARCHITECTURES.add(
    "embedding", "embedding", Source.PARAMETER, "`embedding.weight` has 8 NaN in 160 values, first in row 7"
)
def embedding_row() -> Step:
    net, step = _language(nn.GRU)
    with torch.no_grad():
        net.embedding.weight[7] = NAN
    return step


@ARCHITECTURES.add("div", "rnn", says="division by 0 after layer `rnn`")
def division_after_rnn() -> Step:
    net, _ = _language(nn.RNN)
    tokens = torch.zeros(2, 3, dtype=torch.long)
    return Step(net, lambda: net.head(_over_zero(net.rnn(net.embedding(tokens))[0])).mean())


def _over_zero(value: Tensor) -> Tensor:
    return value / (value - value).sum(-1, keepdim=True)


@ARCHITECTURES.add("log", "embedding", says="log(0) after layer `embedding`")
def tied_weights() -> Step:
    net, _ = _language(nn.RNN)
    net.head = nn.Linear(8, 20, bias=False)
    net.head.weight = net.embedding.weight
    tokens = torch.arange(6).view(2, 3)
    return Step(net, lambda: net.head(net.embedding(tokens)).relu().log().mean())


class Block(nn.Module):
    """A residual block with convolutions."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.norm2 = nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)

    def forward(self, value: Tensor) -> Tensor:
        inner = self.norm1(self.conv1(value)).relu()
        return (value + self.norm2(self.conv2(inner))).relu()


class ResidualNet(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.blocks = nn.ModuleList(Block(8) for _ in range(3))
        self.head = nn.Linear(8, 4)

    def forward(self, images: Tensor) -> Tensor:
        value = self.stem(images)
        for block in self.blocks:
            value = block(value)
        return self.head(functional.max_pool2d(value, 2).mean((2, 3)))


def _images(net: nn.Module, number_format: torch.dtype = torch.float32) -> Step:
    images, target = torch.randn(4, 3, 8, 8, dtype=number_format), torch.arange(4)
    return Step(net, lambda: functional.cross_entropy(net(images), target))


@ARCHITECTURES.add("conv", "blocks.1.conv2", says="conv overflows float16 in layer `blocks.1.conv2`")
def convolution_overflow_in_half() -> Step:
    net = ResidualNet().half()
    with torch.no_grad():
        net.blocks[1].conv2.weight.fill_(6e4)
    return _images(net, torch.float16)


@ARCHITECTURES.add(
    "conv", "blocks.2.conv1", Source.PARAMETER, "`blocks.2.conv1.weight` has 1 NaN in 576 values"
)
def convolution_weight() -> Step:
    net = ResidualNet()
    with torch.no_grad():
        net.blocks[2].conv1.weight[0, 0, 0, 0] = NAN
    return _images(net)


@ARCHITECTURES.add(
    "batch_norm",
    "blocks.0.norm1",
    Source.PARAMETER,
    "the running variance of layer `blocks.0.norm1` has 1 NaN",
)
def running_variance() -> Step:
    net = ResidualNet().eval()
    net.blocks[0].norm1.running_var[3] = NAN
    return _images(net)


@ARCHITECTURES.add("layer_norm", "fc1", says="of layer_norm after layer `fc1` has 16 NaN in 16 values")
def layer_norm_overflow() -> Step:
    def normalize(value: Tensor) -> Tensor:
        return functional.layer_norm(value, (16,))

    net = Net(between=normalize)
    with torch.no_grad():
        net.fc1.weight.mul_(1e30)
    return step_of(net)


class Transformer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(20, 16)
        layer = nn.TransformerEncoderLayer(16, 2, 32, dropout=0.1, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)
        self.head = nn.Linear(16, 20)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.head(self.encoder(self.embedding(tokens)))


def _transform(net: Transformer) -> Step:
    tokens = torch.arange(24).view(4, 6) % 20
    return Step(net, lambda: functional.cross_entropy(net(tokens).flatten(0, 1), tokens.flatten()))


@ARCHITECTURES.add(
    "addmm",
    "encoder.layers.1.linear2",
    Source.PARAMETER,
    "`encoder.layers.1.linear2.bias` has 1 infinite in 16",
)
def transformer_bias() -> Step:
    net = Transformer()
    with torch.no_grad():
        net.encoder.layers[1].linear2.bias[0] = -INFINITY
    return _transform(net)


@ARCHITECTURES.add(
    "addmm", "encoder.layers.2.linear2", says="addmm overflows float32 in layer `encoder.layers.2.linear2`"
)
def transformer_overflow() -> Step:
    net = Transformer()
    with torch.no_grad():
        net.encoder.layers[2].linear1.weight.mul_(1e25)
        net.encoder.layers[2].linear2.weight.mul_(1e25)
    return _transform(net)


@ARCHITECTURES.add(
    "softmax", "attention", says="softmax of rows that are all -inf after layer `attention`: 10 of 20"
)
def multihead_attention_with_a_sample_of_padding() -> Step:
    net = nn.Module()
    net.attention = nn.MultiheadAttention(8, 2, batch_first=True)
    batch, padding = torch.randn(2, 5, 8), torch.zeros(2, 5, dtype=torch.bool)
    padding[1] = True

    def loss() -> Tensor:
        return net.attention(batch, batch, batch, key_padding_mask=padding)[0].mean()

    return Step(net, loss)


@ARCHITECTURES.add(
    "mm",
    "decoder.layers.0.multihead_attn",
    Source.PARAMETER,
    "multihead_attn.in_proj_weight` has 1 NaN in 768",
)
def encoder_and_decoder() -> Step:
    net = nn.Transformer(16, 2, 1, 1, 32, batch_first=True)
    with torch.no_grad():
        net.decoder.layers[0].multihead_attn.in_proj_weight[20, 0] = NAN
    source, target = torch.randn(2, 4, 16), torch.randn(2, 3, 16)
    return Step(net, lambda: net(source, target).mean())
