"""What the ranking is held against: points set by hand, forests on the same answers, the commonest, peers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier

from corpus.figures import Share, share
from corpus.folds import splits
from corpus.table import NO, NOT_RECORDED, TOO_LITTLE, Row, strength

_TREES = 400
HEALTHY = "healthy"


@dataclass(frozen=True)
class Baseline:
    """How another way of ranking does on the same runs."""

    name: str
    first: Share
    three: Share
    alarms: Share


def _features(codes: Sequence[str]) -> NDArray[np.float64]:
    """For every sign: how clear a yes, whether a no, whether it could not tell."""
    return np.array(
        [
            [
                number
                for code in row
                for number in (strength(code), code == NO, code in (TOO_LITTLE, NOT_RECORDED))
            ]
            for row in codes
        ],
        dtype=np.float64,
    )


def _measured(
    name: str, rows: Sequence[Row], ranked: Sequence[Sequence[str]], sure: Sequence[float]
) -> Baseline:
    """Figures from what is named, the likeliest first, and how likely the first cause is."""
    pairs = list(zip(rows, ranked, sure, strict=True))
    faulty = [(row, names) for row, names, _ in pairs if row.label != HEALTHY]
    return Baseline(
        name,
        share([names[:1] == [row.label] for row, names in faulty]),
        share([row.label in [word for word in names if word != HEALTHY][:3] for row, names in faulty]),
        share([p >= 0.5 for row, _, p in pairs if row.label == HEALTHY and not row.cause]),
    )


def forest(rows: Sequence[Row], codes: Sequence[str], boosted: bool = False) -> Baseline:
    """A random forest, or boosted trees: what can be got from the answers when nothing must be explained."""
    features, labels = _features(codes), np.array([row.label for row in rows])
    ranked: list[list[str]] = [[] for _ in rows]
    sure = [0.0] * len(rows)
    for fitted, scored in splits(rows):
        model = (
            HistGradientBoostingClassifier(max_iter=60, max_leaf_nodes=8, random_state=0)
            if boosted
            else RandomForestClassifier(
                _TREES, min_samples_leaf=2, max_features=0.2, random_state=0, n_jobs=2
            )
        )
        model.fit(features[fitted], labels[fitted])
        shares = model.predict_proba(features[scored])
        for row, chances in zip(scored, shares, strict=True):
            order = np.argsort(-chances)
            ranked[row] = [str(model.classes_[column]) for column in order]
            causes = [float(p) for name, p in zip(model.classes_, chances, strict=True) if name != HEALTHY]
            sure[row] = max(causes)
    return _measured("boosted trees" if boosted else "random forest", rows, ranked, sure)


def commonest(rows: Sequence[Row]) -> Baseline:
    """Always the commonest causes, whatever is seen."""
    names = [name for name, _ in Counter(row.label for row in rows if row.label != HEALTHY).most_common()]
    return _measured("always the commonest", rows, [names] * len(rows), [1.0] * len(rows))


def peers(rows: Sequence[Row]) -> Baseline:
    """The rules of peers, the first that fires."""
    blamed = [row.peers.split() for row in rows]
    return _measured("rules of peers", rows, blamed, [float(bool(name)) for name in blamed])
