"""Data sets for the exam of data: healthy ones of many kinds, and faults to put into them.

Limits were set looking at `digits`, `make_blobs`, `make_moons` and `make_classification`. The sets below are
scikit-learn's bundled ones and generated ones; bench/LOG.md says what was changed after looking at them.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets

Array = NDArray[np.generic]


@dataclass(frozen=True, eq=False)
class Set:
    """A data set with its split."""

    x: Array
    y: Array | None
    val_x: Array
    val_y: Array | None

    @property
    def source(self) -> tuple[object, object]:
        """Training and validation as the exam takes them."""
        return (self.x, self.y), (self.val_x, self.val_y)


def split(x: Array, y: Array | None, seed: int = 0) -> Set:
    order = np.random.default_rng(seed).permutation(len(x))
    cut = int(0.75 * len(x))
    first, second = order[:cut], order[cut:]
    labels = (None, None) if y is None else (y[first], y[second])
    return Set(x[first], labels[0], x[second], labels[1])


def standard(x: Array) -> NDArray[np.float64]:
    values = x.astype(np.float64)
    deviation = values.std(axis=0)
    scaled: NDArray[np.float64] = (values - values.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
    return scaled


def _bundled(name: str) -> Set:
    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    return split(standard(x), standard(y) if name == "diabetes" else y)


def _patches() -> Set:
    """Pieces of the two photographs that come with scikit-learn; which one is it from."""
    rng = np.random.default_rng(1)
    pictures = datasets.load_sample_images().images
    pieces, labels = [], []
    for _ in range(1200):
        which = int(rng.integers(2))
        height, width = pictures[which].shape[:2]
        top, left = int(rng.integers(height - 16)), int(rng.integers(width - 16))
        pieces.append(pictures[which][top : top + 16, left : left + 16])
        labels.append(which)
    return split(np.stack(pieces), np.array(labels))


def shapes(rows: int = 1500, seed: int = 2) -> tuple[Array, Array]:
    """Gray images of discs, squares, crosses and rings at random places, with noise."""
    rng = np.random.default_rng(seed)
    grid_y, grid_x = np.mgrid[:20, :20]
    labels = rng.integers(0, 4, rows)
    images = np.empty((rows, 20, 20))
    for index, label in enumerate(labels):
        y, x, size = rng.uniform(7, 13), rng.uniform(7, 13), rng.uniform(3.5, 6)
        away_y, away_x = abs(grid_y - y), abs(grid_x - x)
        radius = np.hypot(away_y, away_x)
        drawn = (
            radius < size,
            np.maximum(away_y, away_x) < size,
            ((away_y < 1.2) | (away_x < 1.2)) & (radius < size),
            abs(radius - size) < 1.2,
        )[label]
        images[index] = 180 * drawn + rng.normal(30, 15, (20, 20))
    return np.clip(images, 0, 255).astype(np.uint8), labels


def _tokens(rows: int = 1500) -> tuple[Array, Array]:
    rng = np.random.default_rng(3)
    topics = rng.integers(0, 3, rows)
    words = np.minimum(
        rng.zipf(1.4, (rows, 40)) + 300 * topics[:, None] * (rng.random((rows, 40)) < 0.3), 4999
    )
    lengths = rng.integers(10, 40, rows)
    words[np.arange(40)[None, :] >= lengths[:, None]] = 0
    return words.astype(np.int64), topics


def _language() -> Set:
    stream = np.random.default_rng(4).integers(0, 60, 40_000)
    chunks = stream[: 40_000 // 33 * 33].reshape(-1, 33)
    return split(chunks[:, :-1], chunks[:, 1:])


def _counts() -> Set:
    """Bags of words: mostly zeros, a few large counts."""
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 1500)
    rates = rng.gamma(0.3, 1.0, (2, 120))
    return split(rng.poisson(rates[labels]).astype(np.float32), labels)


def _mixed() -> Set:
    """One-hot categories beside numbers."""
    rng = np.random.default_rng(6)
    kind = rng.integers(0, 6, 2000)
    numbers = rng.normal(size=(2000, 5))
    target = numbers[:, 0] + 0.5 * kind + rng.normal(0, 0.3, 2000)
    return split(np.concatenate([np.eye(6)[kind], numbers], axis=1), standard(target))


def _heavy() -> Set:
    rng = np.random.default_rng(7)
    x = standard(rng.standard_t(4, (3000, 8)))
    return split(x, (x[:, 0] + x[:, 1] > 0).astype(np.int64))


def _skewed() -> Set:
    rng = np.random.default_rng(8)
    x = standard(rng.lognormal(0, 1, (3000, 6)))
    return split(x, standard(x.sum(axis=1) + rng.normal(0, 0.5, 3000)))


def _signals() -> Set:
    rng = np.random.default_rng(9)
    labels = rng.integers(0, 3, 900)
    time = np.linspace(0, 1, 60)
    waves = np.sin(2 * np.pi * ((labels + 2)[:, None, None] * time[None, :, None] + rng.random((900, 1, 3))))
    return split((waves + rng.normal(0, 0.3, waves.shape)).astype(np.float32), labels)


def _sound() -> Set:
    rng = np.random.default_rng(10)
    labels = rng.integers(0, 2, 600)
    x = rng.normal(0, 0.1, (600, 1, 400)).cumsum(axis=2) * (1 + labels)[:, None, None] * 0.2
    return split(x.astype(np.float32), labels)


def _overlapping() -> Set:
    """Labels that are drawn, not decided: the best possible answer is right three times in four."""
    rng = np.random.default_rng(11)
    x = rng.normal(size=(4000, 10))
    return split(x, (rng.random(4000) < 1 / (1 + np.exp(-2 * x[:, 0]))).astype(np.int64))


def _uneven() -> Set:
    rng = np.random.default_rng(12)
    y = rng.choice(3, 2000, p=[0.6, 0.25, 0.15])
    return split(rng.normal(size=(2000, 12)) + 1.5 * np.eye(3)[y] @ rng.normal(size=(3, 12)), y)


def _rates() -> Set:
    """Counts to predict."""
    rng = np.random.default_rng(13)
    x = rng.normal(size=(2500, 6))
    return split(x, rng.poisson(np.exp(0.5 * x[:, 0])).astype(np.float32))


def _several() -> Set:
    x, y = datasets.make_multilabel_classification(1200, 20, n_classes=5, random_state=14)
    return split(standard(x), y)


def _flags() -> Set:
    rng = np.random.default_rng(15)
    x = rng.choice([-1.0, 1.0], (2000, 30))
    return split(x, (x[:, :3].prod(axis=1) > 0).astype(np.int64))


def _regression(make: str, **options: object) -> Set:
    x, y = getattr(datasets, f"make_{make}")(1500, random_state=16, **options)[:2]
    return split(standard(x), standard(y))


def _classes(make: str, rows: int = 2000, **options: object) -> Set:
    x, y = getattr(datasets, f"make_{make}")(n_samples=rows, random_state=17, **options)
    return split(standard(x), np.unique(y, return_inverse=True)[1])


HEALTHY: dict[str, Callable[[], Set]] = {
    "digits, flat 0-16": lambda: split(*datasets.load_digits(return_X_y=True)),
    "digits, images": lambda: split(
        *(lambda d: ((d.images / 16).astype(np.float32), d.target))(datasets.load_digits())
    ),
    "iris": lambda: _bundled("iris"),
    "wine": lambda: _bundled("wine"),
    "breast cancer": lambda: _bundled("breast_cancer"),
    "diabetes": lambda: _bundled("diabetes"),
    "photographs, bytes": _patches,
    "shapes, bytes": lambda: split(*shapes()),
    "texts as tokens": lambda: split(*_tokens()),
    "language model": _language,
    "bags of words": _counts,
    "categories and numbers": _mixed,
    "Student t": _heavy,
    "lognormal": _skewed,
    "waves": _signals,
    "sound": _sound,
    "overlapping classes": _overlapping,
    "uneven classes": _uneven,
    "counts to predict": _rates,
    "several labels": _several,
    "flags": _flags,
    "friedman 1": lambda: _regression("friedman1"),
    "friedman 2": lambda: _regression("friedman2"),
    "swiss roll": lambda: _regression("swiss_roll"),
    "hastie": lambda: _classes("hastie_10_2"),
    "circles": lambda: _classes("circles", noise=0.08, factor=0.5),
    "gaussian quantiles": lambda: _classes("gaussian_quantiles", n_features=5, n_classes=3),
}


@dataclass(frozen=True)
class Injected:
    """A fault: what it does to a set, the cause that must be named, and where it makes sense."""

    cause: str
    put: Callable[[Set, np.random.Generator], Set]
    on: tuple[str, ...]


def _numbers(dataset: Set) -> NDArray[np.float64]:
    return dataset.x.astype(np.float64).copy()


def nan(one: Set, rng: np.random.Generator) -> Set:
    x = _numbers(one)
    x.reshape(len(x), -1)[rng.integers(len(x), size=8), 1] = np.nan
    return replace(one, x=x)


def infinite(one: Set, rng: np.random.Generator) -> Set:
    x = _numbers(one)
    x.reshape(len(x), -1)[rng.integers(len(x), size=2), 0] = np.inf
    return replace(one, x=x)


def unscaled(one: Set, rng: np.random.Generator) -> Set:
    """Two columns in other units."""
    x, val = _numbers(one), one.val_x.astype(np.float64).copy()
    for part in (x, val):
        part[:, 0] = 300 * part[:, 0] + 2000
        part[:, 1] *= 50
    return replace(one, x=x, val_x=val)


def bytes_as_floats(one: Set, rng: np.random.Generator) -> Set:
    return replace(one, x=one.x.astype(np.float32), val_x=one.val_x.astype(np.float32))


def wild(one: Set, rng: np.random.Generator) -> Set:
    """A slip of the decimal point in a few rows."""
    x = _numbers(one)
    rows = rng.choice(len(x), max(3, len(x) // 300), replace=False)
    x[rows, 2] = 1000 * (np.abs(x[rows, 2]) + 1)
    return replace(one, x=x)


def marked(one: Set, rng: np.random.Generator) -> Set:
    """-999 where a value is missing."""
    x = _numbers(one)
    x[rng.random(len(x)) < 0.02, 1] = -999
    return replace(one, x=x)


def flipped(share: float) -> Callable[[Set, np.random.Generator], Set]:
    def put(dataset: Set, rng: np.random.Generator) -> Set:
        assert dataset.y is not None
        labels = dataset.y.astype(np.int64).copy()
        kinds = int(labels.max()) + 1
        chosen = rng.random(len(labels)) < share
        labels[chosen] = (labels[chosen] + rng.integers(1, kinds, int(chosen.sum()))) % kinds
        return replace(dataset, y=labels)

    return put


def from_one(one: Set, rng: np.random.Generator) -> Set:
    assert one.y is not None
    assert one.val_y is not None
    return replace(one, y=one.y.astype(np.int64) + 1, val_y=one.val_y.astype(np.int64) + 1)


def negative(one: Set, rng: np.random.Generator) -> Set:
    assert one.y is not None
    labels = one.y.astype(np.int64).copy()
    labels[rng.choice(len(labels), 5, replace=False)] = -1
    return replace(one, y=labels)


def rare(one: Set, rng: np.random.Generator) -> Set:
    """One class cut down to a handful."""
    assert one.y is not None
    others = np.flatnonzero(one.y != 0)
    few = np.flatnonzero(one.y == 0)[:5]
    keep = rng.permutation(np.concatenate([others, few]))
    return replace(one, x=one.x[keep], y=one.y[keep])


def ordered(one: Set, rng: np.random.Generator) -> Set:
    assert one.y is not None
    order = np.argsort(one.y.astype(np.int64), kind="stable")
    return replace(one, x=one.x[order], y=one.y[order])


def leaked(one: Set, rng: np.random.Generator) -> Set:
    """A tenth of the validation rows put into training."""
    rows = rng.choice(len(one.val_x), max(3, len(one.val_x) // 10), replace=False)
    y = None if one.y is None or one.val_y is None else np.concatenate([one.y, one.val_y[rows]])
    order = rng.permutation(len(one.x) + len(rows))
    return replace(one, x=np.concatenate([one.x, one.val_x[rows]])[order], y=None if y is None else y[order])


def nearly_leaked(one: Set, rng: np.random.Generator) -> Set:
    """The same with a hundredth of noise on every value."""
    after = leaked(one, rng)
    noise = 0.01 * np.std(after.x.astype(np.float64), axis=0) * rng.normal(size=after.x.shape)
    return replace(after, x=after.x.astype(np.float64) + noise)


def repeated(one: Set, rng: np.random.Generator) -> Set:
    rows = rng.choice(len(one.x), len(one.x) // 12, replace=False)
    order = rng.permutation(len(one.x) + len(rows))
    y = None if one.y is None else np.concatenate([one.y, one.y[rows]])[order]
    return replace(one, x=np.concatenate([one.x, one.x[rows]])[order], y=y)


def shifted(one: Set, rng: np.random.Generator) -> Set:
    """Validation rows of another device: one column moved, another stretched."""
    val = one.val_x.astype(np.float64).copy()
    val[:, 0] += 1.0 * val[:, 0].std()
    val[:, 1] *= 2
    return replace(one, val_x=val)


def brighter(one: Set, rng: np.random.Generator) -> Set:
    return replace(one, val_x=np.clip(one.val_x.astype(np.float64) * 1.3 + 20, 0, 255).astype(np.uint8))


def constant(one: Set, rng: np.random.Generator) -> Set:
    assert one.y is not None
    return replace(one, y=np.zeros_like(one.y))


def in_cents(one: Set, rng: np.random.Generator) -> Set:
    assert one.y is not None
    assert one.val_y is not None
    parts = [part.astype(np.float64) * 5e4 + 2e5 for part in (one.y, one.val_y)]
    return replace(one, y=parts[0], val_y=parts[1])


_TABLES = ("wine", "breast cancer", "hastie", "Student t", "uneven classes", "gaussian quantiles")
_CLASSES = ("wine", "breast cancer", "iris", "circles", "uneven classes", "shapes, bytes")
_MEASURED = ("wine", "breast cancer", "diabetes", "hastie", "friedman 1", "Student t")

FAULTS: dict[str, Injected] = {
    "NaN in 8 rows": Injected("non-finite-inputs", nan, (*_TABLES, "waves", "diabetes")),
    "infinity in 2 rows": Injected("non-finite-inputs", infinite, _TABLES),
    "two columns in other units": Injected("unnormalized-inputs", unscaled, _TABLES),
    "pixels of 0 to 255 as floats": Injected(
        "unnormalized-inputs", bytes_as_floats, ("photographs, bytes", "shapes, bytes")
    ),
    "slips of the decimal point": Injected("input-outliers", wild, _TABLES),
    "-999 for missing": Injected("input-outliers", marked, _TABLES),
    "10% of labels wrong": Injected(
        "label-noise",
        flipped(0.1),
        ("wine", "breast cancer", "iris", "circles", "shapes, bytes", "digits, images"),
    ),
    "20% of labels wrong": Injected(
        "label-noise",
        flipped(0.2),
        ("wine", "breast cancer", "iris", "circles", "shapes, bytes", "digits, images"),
    ),
    "labels from 1": Injected("labels-out-of-range", from_one, _CLASSES),
    "negative labels": Injected("labels-out-of-range", negative, _CLASSES),
    "a class of 5 rows": Injected(
        "class-imbalance", rare, ("circles", "hastie", "shapes, bytes", "breast cancer")
    ),
    "sorted by class": Injected("not-shuffled", ordered, _CLASSES),
    "a tenth of validation in training": Injected(
        "train-val-leakage",
        leaked,
        (*_MEASURED, "shapes, bytes", "photographs, bytes", "waves", "texts as tokens"),
    ),
    "the same with noise": Injected(
        "train-val-leakage",
        nearly_leaked,
        ("wine", "breast cancer", "hastie", "friedman 1", "waves", "Student t"),
    ),
    "a twelfth of the rows twice": Injected("train-val-leakage", repeated, (*_MEASURED, "shapes, bytes")),
    "validation of another device": Injected(
        "train-val-mismatch", shifted, (*_TABLES, "diabetes", "friedman 1")
    ),
    "brighter validation": Injected("train-val-mismatch", brighter, ("photographs, bytes", "shapes, bytes")),
    "one class only": Injected("degenerate-labels", constant, _CLASSES),
    "targets in cents": Injected(
        "unnormalized-targets", in_cents, ("diabetes", "friedman 1", "friedman 2", "swiss roll", "lognormal")
    ),
}
