"""What the corpus learns: sixteen tasks from scikit-learn's bundled sets and generated data."""

from collections.abc import Callable
from functools import cache, partial

import torch
from sklearn import datasets
from torch import Tensor
from torch.nn import functional

from corpus.task import Loss, Measure, Rows, Task
from curves import data as shelf
from curves.data import Data


def _dice(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def _cut(inputs: Tensor, targets: Tensor, seed: int = 1) -> tuple[Rows, Rows, Rows]:
    """Rows to train on, to validate on and to score on: 60, 20 and 20 of a hundred."""
    order = torch.randperm(len(inputs), generator=_dice(seed))
    rows = Rows(inputs[order], targets[order])
    first, second = len(order) * 3 // 5, len(order) * 4 // 5
    return rows.part(slice(first)), rows.part(slice(first, second)), rows.part(slice(second, None))


def _joined(data: Data) -> tuple[Tensor, Tensor]:
    return torch.cat([data.x, data.x_val]), torch.cat([data.y, data.y_val])


def _above(value: float, chance: float) -> float:
    return (value - chance) / (1 - chance)


def accuracy(scores: Tensor, targets: Tensor) -> float:
    """Share of the highest scores that are right; over positions too."""
    return float((scores.argmax(-1) == targets).float().mean())


def _class_skill(scores: Tensor, targets: Tensor) -> float:
    """Balanced accuracy above guessing: what a rare class gets counts as much as what a common one does."""
    guessed, kinds = scores.argmax(-1), targets.unique()
    hits = [float((guessed[targets == kind] == kind).float().mean()) for kind in kinds]
    return _above(sum(hits) / len(hits), 1 / len(kinds))


def _token_skill(scores: Tensor, targets: Tensor) -> float:
    """How much of what the commonest answers leave open is told."""
    counts = torch.bincount(targets.flatten(), minlength=scores.shape[-1]).double()
    shares = (counts / counts.sum()).clamp_min(1e-9)
    chance = float(-(shares * shares.log()).sum())
    return 1 - float(functional.cross_entropy(scores.flatten(0, 1).double(), targets.flatten())) / chance


def _yes_skill(scores: Tensor, targets: Tensor) -> float:
    """Balanced accuracy above guessing, the mean over labels."""
    yes, true = (scores > 0).float().flatten(1), targets.flatten(1)
    recall = (yes * true).sum(0) / true.sum(0).clamp_min(1)
    spared = ((1 - yes) * (1 - true)).sum(0) / (1 - true).sum(0).clamp_min(1)
    return float((recall + spared - 1).mean())


def _yes_accuracy(scores: Tensor, targets: Tensor) -> float:
    return float(((scores > 0) == (targets > 0.5)).float().mean())


def _number_skill(predictions: Tensor, targets: Tensor) -> float:
    """R squared."""
    left = (predictions.double() - targets.double()).pow(2).mean()
    return float(1 - left / targets.double().var(correction=0))


def _copy_skill(predictions: Tensor, targets: Tensor) -> float:
    left = (predictions - targets).double().pow(2).mean()
    return float(1 - left / (targets - targets.mean(0)).double().pow(2).mean())


def _mean_error(predictions: Tensor, targets: Tensor) -> float:
    return float((predictions - targets).abs().mean())


def _mask_skill(scores: Tensor, targets: Tensor) -> float:
    """Intersection over union."""
    yes, true = scores > 0, targets > 0.5
    return float((yes & true).sum() / (yes | true).sum().clamp_min(1))


def likeness_loss(embedded: Tensor, kinds: Tensor) -> Tensor:
    """Samples of one kind close together, others a margin apart; pairs are those within the batch."""
    far = torch.cdist(embedded, embedded).clamp_min(1e-6)
    same = (kinds[:, None] == kinds[None, :]).float()
    apart = 1 - same
    near = (same * far.pow(2)).sum() / same.sum().clamp_min(1)
    return near + (apart * functional.relu(1.5 - far).pow(2)).sum() / apart.sum().clamp_min(1)


def _likeness_accuracy(embedded: Tensor, kinds: Tensor) -> float:
    """How often the nearest other sample is of the same kind."""
    far = torch.cdist(embedded, embedded) + 1e9 * torch.eye(len(embedded))
    return float((kinds[far.argmin(1)] == kinds).float().mean())


def _likeness_skill(embedded: Tensor, kinds: Tensor) -> float:
    return _above(_likeness_accuracy(embedded, kinds), 0.1)


def token_loss(scores: Tensor, targets: Tensor) -> Tensor:
    """Cross entropy over all positions."""
    return functional.cross_entropy(scores.flatten(0, 1), targets.flatten())


_HOW: dict[str, tuple[Loss, Measure, Measure, str]] = {
    "classes": (functional.cross_entropy, _class_skill, accuracy, "accuracy"),
    "yes-no": (functional.binary_cross_entropy_with_logits, _yes_skill, _yes_accuracy, "accuracy"),
    "labels": (functional.binary_cross_entropy_with_logits, _yes_skill, _yes_accuracy, "accuracy"),
    "number": (functional.mse_loss, _number_skill, _mean_error, "mae"),
    "tokens": (token_loss, _token_skill, accuracy, "accuracy"),
    "copy": (functional.mse_loss, _copy_skill, _mean_error, "mae"),
    "mask": (functional.binary_cross_entropy_with_logits, _mask_skill, _mask_skill, "iou"),
    "likeness": (likeness_loss, _likeness_skill, _likeness_accuracy, "accuracy"),
}


def _task(
    name: str,
    kind: str,
    form: str,
    rows: tuple[Tensor, Tensor],
    outputs: int,
    *,
    vocabulary: int = 0,
    causal: bool = False,
) -> Task:
    train, held, test = _cut(*rows)
    loss, skill, metric, metric_name = _HOW[kind]
    return Task(
        name, kind, form, train, held, test, outputs, loss, skill, metric, metric_name, vocabulary, causal
    )


def _digits() -> Task:
    return _task("digits", "classes", "image", _joined(shelf.pictures(shelf.digits(noise=0.3))), 10)


def _figures() -> Task:
    """Crosses, rings, bars and blots in noise, anywhere in a picture of 12 by 12."""
    dice, count, side = _dice(21), 1500, 12
    kinds = torch.randint(4, (count,), generator=dice)
    center = 3 + 6 * torch.rand(count, 2, 1, 1, generator=dice)
    axis = torch.arange(side).float()
    down, right = (axis[None, :, None] - center[:, 0]).abs(), (axis[None, None, :] - center[:, 1]).abs()
    far = (down**2 + right**2).sqrt()
    drawn = torch.stack(
        [
            ((down < 0.7) & (right < 3)) | ((right < 0.7) & (down < 3)),
            (far < 3) & (far > 1.8),
            (down < 0.8) & (right < 3.5),
            far < 2,
        ],
        1,
    )
    pictures = drawn[torch.arange(count), kinds].float() + 0.35 * torch.randn(
        count, side, side, generator=dice
    )
    return _task("figures", "classes", "image", (pictures[:, None], kinds), 4)


def _cancer() -> Task:
    x, y = _joined(shelf.table("breast_cancer", 400))
    return _task("cancer", "yes-no", "vector", (x, y[:, None]), 1)


def _wine() -> Task:
    return _task("wine", "classes", "vector", _joined(shelf.table("wine", 120)), 3)


def _diabetes() -> Task:
    x, y = _joined(shelf.table("diabetes", 300))
    return _task("diabetes", "number", "vector", (x, y[:, None]), 1)


def _teacher() -> Task:
    x, y = _joined(shelf.teacher(count=1300, val=500))
    return _task("teacher", "number", "vector", (x, y[:, None]), 1)


def _friedman() -> Task:
    x, y = datasets.make_friedman1(1500, n_features=8, noise=0.5, random_state=5)
    inputs, targets = torch.tensor(x, dtype=torch.float32), torch.tensor(y, dtype=torch.float32)[:, None]
    return _task("friedman", "number", "vector", (2 * inputs - 1, (targets - targets.mean()) / 5), 1)


def _spirals() -> Task:
    x, y = _joined(shelf.spirals(points=1200))
    return _task("spirals", "classes", "vector", (2 * x, y), 3)


def _majority() -> Task:
    """Which of three marks is the commonest in a sequence of tokens."""
    dice = _dice(22)
    tokens = torch.randint(8, (1800, 15), generator=dice)
    counts = torch.stack([(tokens == mark).sum(1) for mark in range(3)], 1).float()
    kinds = (counts + 0.1 * torch.rand(counts.shape, generator=dice)).argmax(1)
    return _task("majority", "classes", "tokens", (tokens, kinds), 3, vocabulary=8)


def _order() -> Task:
    """Whether the one mark comes before the other."""
    dice, count, length = _dice(23), 1800, 10
    tokens = torch.randint(2, 8, (count, length), generator=dice)
    places = torch.rand(count, length, generator=dice).argsort(1)[:, :2]
    tokens.scatter_(1, places, torch.tensor([[0, 1]]).expand(count, 2))
    return _task(
        "order", "classes", "tokens", (tokens, (places[:, 0] < places[:, 1]).long()), 2, vocabulary=8
    )


def _text() -> Task:
    x, y = _joined(shelf.text(20_000, letters=10, window=16, val=4000, sharp=3.0))
    return _task("text", "tokens", "tokens", (x, y), 10, vocabulary=10, causal=True)


def _mirror() -> Task:
    """The tokens of a sequence, each one greater than the one that stands as far from the other end."""
    tokens = torch.randint(8, (1800, 6), generator=_dice(24))
    return _task("mirror", "tokens", "tokens", (tokens, (tokens.flip(1) + 1) % 8), 8, vocabulary=8)


def _copy() -> Task:
    pictures, _ = _joined(shelf.pictures(shelf.digits()))
    return _task("copy", "copy", "image", (pictures, pictures.flatten(1)), 64)


def _labels() -> Task:
    dice = _dice(25)
    inputs = torch.randn(1500, 16, generator=dice)
    inner = torch.tanh(inputs @ torch.randn(16, 12, generator=dice) / 2.5)
    scores = inner @ torch.randn(12, 6, generator=dice) + 0.3 * torch.randn(1500, 6, generator=dice)
    return _task("labels", "labels", "vector", (inputs, (scores > 0.4).float()), 6)


def _rare() -> Task:
    """Two classes of which one is seldom, and well apart."""
    dice, count = _dice(26), 1800
    kinds = (torch.rand(count, generator=dice) < 0.12).long()
    inputs = torch.randn(count, 10, generator=dice)
    inputs[:, :3] += 2.2 * kinds[:, None]
    inputs[:, 3] += (inputs[:, 0] * inputs[:, 1] > 0).float()
    return _task("rare", "classes", "vector", (inputs, kinds), 2)


def _likeness() -> Task:
    return _task("likeness", "likeness", "image", _joined(shelf.pictures(shelf.digits(noise=0.3))), 8)


def _waves() -> Task:
    x, y = _joined(shelf.waves(count=900, length=20, val=300))
    return _task("waves", "number", "signal", (x, y[:, None]), 1)


def _beats() -> Task:
    """Which of three rhythms a noisy signal of two channels has."""
    dice, count, length = _dice(27), 1500, 24
    kinds = torch.randint(3, (count,), generator=dice)
    pace = torch.tensor([0.35, 0.6, 0.95])[kinds][:, None] * (
        0.9 + 0.2 * torch.rand(count, 1, generator=dice)
    )
    angle = pace * torch.arange(length) + 6.3 * torch.rand(count, 1, generator=dice)
    signal = torch.stack([angle.sin(), angle.cos()], -1)
    return _task(
        "beats", "classes", "signal", (signal + 0.5 * torch.randn(signal.shape, generator=dice), kinds), 3
    )


def _discs() -> Task:
    return _task("discs", "mask", "image", _joined(shelf.blobs(count=420, side=12, val=140)), 1)


TASKS: dict[str, Callable[[], Task]] = {
    name: cache(partial(make))
    for name, make in {
        "digits": _digits,
        "figures": _figures,
        "cancer": _cancer,
        "wine": _wine,
        "diabetes": _diabetes,
        "teacher": _teacher,
        "friedman": _friedman,
        "spirals": _spirals,
        "majority": _majority,
        "order": _order,
        "text": _text,
        "mirror": _mirror,
        "copy": _copy,
        "labels": _labels,
        "rare": _rare,
        "likeness": _likeness,
        "waves": _waves,
        "beats": _beats,
        "discs": _discs,
    }.items()
}
"""What can be learned, by name; made when it is first asked for."""
