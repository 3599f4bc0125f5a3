"""Rows as points, and the nearest other rows of each."""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from traindx.exams.data_exam.dataset.columns import measured
from traindx.exams.data_exam.dataset.data import Data, Kind
from traindx.run import Floats, Rows

Points = NDArray[np.float32]

_WIDEST: Annotated[int, "coordinates of a point; more are turned into the directions of most spread"] = 128
_DIRECTIONS = 64
_BLOCK = 512
_CLIP = 5.0
"""Usual spreads at which a coordinate is cut off: one wild value must not decide what is near."""
_MOST_CATEGORIES = 12
_SAMPLE = 4000


@dataclass(frozen=True, eq=False)
class Space:
    """The rows of both parts as points."""

    training: Points
    validation: Points | None


def spaced(data: Data) -> Space:
    """Points in which every number column counts alike; images as they are, tokens not at all."""
    pieces = [part.matrix for part in data.parts]
    if data.kind in (Kind.IMAGES, Kind.SIGNALS):
        step = max(1, pieces[0].shape[1] // 1024)
        points = [piece[:, ::step].astype(np.float32) for piece in pieces]
        points = [np.nan_to_num(piece, posinf=0.0, neginf=0.0) for piece in points]
        centre, size = points[0].mean(axis=0), float(points[0].std()) or 1.0
        points = [(piece - centre) / size for piece in points]
    else:
        points = _coordinates(data, pieces)
    if points[0].shape[1] > _WIDEST:
        points = _turned(points)
    return Space(points[0], points[1] if len(points) > 1 else None)


def _coordinates(data: Data, pieces: list[NDArray[np.generic]]) -> list[Points]:
    numbers = [piece[:, data.numbers].astype(np.float64) for piece in pieces]
    usual = measured(numbers[0])
    size = np.where(usual.std > 0, usual.std, 1.0)
    out = []
    for piece, part in zip(numbers, pieces, strict=True):
        with np.errstate(all="ignore"):
            scaled = np.nan_to_num((piece - usual.mean) / size, nan=0.0, posinf=_CLIP, neginf=-_CLIP)
        coordinates = [np.clip(scaled, -_CLIP, _CLIP).astype(np.float32)]
        for place in np.flatnonzero(data.words):
            known, counts = np.unique(pieces[0][:, place], return_counts=True)
            common = known[np.argsort(-counts)[:_MOST_CATEGORIES]]
            coordinates.append((part[:, place, None] == common).astype(np.float32))
        out.append(np.concatenate(coordinates, axis=1))
    return out


def _turned(points: list[Points]) -> list[Points]:
    """Points on the directions of most spread."""
    # Of all parts: directions fitted to one of them would tell it from the other.
    rows = np.concatenate(points)
    sample = rows[:: max(1, len(rows) // _SAMPLE)].astype(np.float64)
    _, _, directions = np.linalg.svd(sample - sample.mean(axis=0), full_matrices=False)
    chosen = directions[:_DIRECTIONS].T.astype(np.float32)
    return [piece @ chosen for piece in points]


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest rows of some rows, and how far the very nearest is."""

    places: Rows
    """Rows by neighbours, in no order."""
    nearest: Rows
    distance: Floats


def nearest(points: Points, among: Points, wanted: int, *, own: Rows | None = None) -> Nearest:
    """The nearest rows of `among`; `own` are the places at which the points themselves stand there."""
    squares = np.einsum("ij,ij->i", among, among)
    places, first = [], []
    for start in range(0, len(points), _BLOCK):
        block = points[start : start + _BLOCK]
        distances = squares[None, :] - 2 * (block @ among.T)
        if own is not None:
            distances[np.arange(len(block)), own[start : start + len(block)]] = np.inf
        wanted = min(wanted, distances.shape[1] - 1)
        if wanted <= 1:
            # Thirty times as fast as looking for several.
            found = distances.argmin(axis=1)[:, None]
        else:
            found = np.argpartition(distances, wanted, axis=1)[:, :wanted]
        best = np.take_along_axis(distances, found, axis=1).argmin(axis=1)
        places.append(found)
        first.append(found[np.arange(len(block)), best])
    chosen = np.concatenate(first)
    # Again and exactly: a difference of large squares says little about small distances.
    apart = points.astype(np.float64) - among[chosen].astype(np.float64)
    return Nearest(np.concatenate(places), chosen, np.sqrt(np.einsum("ij,ij->i", apart, apart)))
