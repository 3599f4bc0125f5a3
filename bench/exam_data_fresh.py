"""Healthy sets that were not there while the exam of data was written: run when it was done, then kept."""

from collections.abc import Callable

import numpy as np
from sklearn import datasets

from exam_data_sets import Set, split, standard


def _spirals() -> Set:
    rng = np.random.default_rng(30)
    label, turn = rng.integers(0, 3, 1500), rng.uniform(0.3, 1, 1500)
    angle = 2 * np.pi * (label / 3 + turn) + rng.normal(0, 0.1, 1500)
    return split(2 * np.column_stack([turn * np.cos(angle), turn * np.sin(angle)]), label)


def _checkerboard() -> Set:
    x = np.random.default_rng(31).uniform(-2, 2, (2500, 2))
    return split(x, (np.floor(x).sum(axis=1) % 2).astype(np.int64))


def _many_classes() -> Set:
    rng = np.random.default_rng(32)
    y = rng.integers(0, 50, 2500)
    return split(rng.normal(size=(50, 20))[y] + rng.normal(0, 0.6, (2500, 20)), y)


def _six_to_one() -> Set:
    rng = np.random.default_rng(33)
    y = (rng.random(2000) < 1 / 7).astype(np.int64)
    return split(rng.normal(size=(2000, 9)) + np.outer(y, rng.normal(size=9)), y)


def _sequences() -> Set:
    """Letters of DNA, one-hot."""
    rng = np.random.default_rng(34)
    y = rng.integers(0, 2, 900)
    letters = rng.integers(0, 4, (900, 100))
    letters[y == 1, 40:46] = [0, 1, 2, 3, 0, 1]
    return split(np.eye(4, dtype=np.float32)[letters], y)


def _spectra() -> Set:
    """Smooth curves whose neighboring columns say nearly the same."""
    rng = np.random.default_rng(35)
    waves = np.linspace(0, 1, 300)
    centers, heights = rng.uniform(0.2, 0.8, (700, 4)), rng.gamma(2, 1, (700, 4))
    curves = (heights[:, :, None] * np.exp(-(((waves - centers[:, :, None]) / 0.08) ** 2))).sum(axis=1)
    return split(standard(curves + rng.normal(0, 0.02, curves.shape)), standard(heights[:, 0]))


def _series() -> Set:
    """A stationary series in the order of time; validation is what comes last."""
    rng = np.random.default_rng(36)
    values = np.zeros(4000)
    for step in range(1, 4000):
        values[step] = 0.7 * values[step - 1] + rng.normal()
    windows = np.lib.stride_tricks.sliding_window_view(standard(values), 13)
    x, y = windows[:, :12].copy(), windows[:, 12].copy()
    # A gap of one window, so that no step is in both.
    return Set(x[:3000], y[:3000], x[3020:], y[3020:])


def _embeddings() -> Set:
    rng = np.random.default_rng(37)
    y = rng.integers(0, 4, 800)
    x = rng.normal(size=(800, 384)) + 0.6 * rng.normal(size=(4, 384))[y]
    return split((x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32), y)


def _textures() -> Set:
    """Standardized images of three channels with stripes of two directions."""
    rng = np.random.default_rng(38)
    y = rng.integers(0, 2, 700)
    grid = np.mgrid[:24, :24]
    waves = [np.sin(grid[int(label)] * rng.uniform(0.5, 1.1) + rng.uniform(0, 6)) for label in y]
    x = np.stack(waves)[:, None] * rng.uniform(0.5, 1.5, (700, 3, 1, 1)) + rng.normal(
        0, 0.4, (700, 3, 24, 24)
    )
    return split(x.astype(np.float32), y)


def _mixture() -> Set:
    """Classes of other shapes and spreads."""
    rng = np.random.default_rng(39)
    y = rng.integers(0, 3, 1800)
    turned = rng.normal(size=(3, 7, 7)) * np.array([0.3, 0.6, 1.0])[:, None, None]
    x = np.einsum("nij,nj->ni", turned[y], rng.normal(size=(1800, 7))) + 2 * rng.normal(size=(3, 7))[y]
    return split(standard(x), y)


def _logged() -> Set:
    rng = np.random.default_rng(40)
    x = rng.gamma(2, 1, (1500, 5))
    return split(standard(np.log1p(x)), standard(np.log(x[:, 0] + x[:, 1] + rng.gamma(1, 0.3, 1500))))


def _parity() -> Set:
    x = np.random.default_rng(41).integers(0, 2, (1500, 10)).astype(np.float32)
    return split(x, (x[:, :4].sum(axis=1) % 2).astype(np.int64))


def _low_rank() -> Set:
    return split(standard(datasets.make_low_rank_matrix(900, 40, random_state=45)), None)


def _made(make: str, *sizes: int, **options: float) -> Set:
    x, y = getattr(datasets, f"make_{make}")(*sizes, **options)
    return split(standard(x), standard(y))


FRESH: dict[str, Callable[[], Set]] = {
    "s curve": lambda: _made("s_curve", 1500, noise=0.1, random_state=42),
    "sparse uncorrelated": lambda: _made("sparse_uncorrelated", 900, 12, random_state=43),
    "friedman 3": lambda: _made("friedman3", 1200, random_state=44),
    "low rank, no target": _low_rank,
    "linear, ten outputs": lambda: _made("regression", 900, 15, n_targets=10, random_state=46),
    "three spirals": _spirals,
    "checkerboard": _checkerboard,
    "fifty classes": _many_classes,
    "six to one": _six_to_one,
    "one-hot sequences": _sequences,
    "spectra": _spectra,
    "time series": _series,
    "unit embeddings": _embeddings,
    "striped images": _textures,
    "skew mixture": _mixture,
    "logarithms": _logged,
    "parity of bits": _parity,
}
