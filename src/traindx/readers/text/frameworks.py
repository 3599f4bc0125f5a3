"""Which library that trains no network wrote a log: LightGBM, XGBoost or CatBoost.

[20]    valid's binary_logloss: 0.5333                                LightGBM
[10]    train-rmse:0.71    validation_0-rmse:0.82                     XGBoost
0:      learn: 0.69   test: 0.68   best: 0.68 (0)   total: 1.2ms      CatBoost
"""

import re
from collections.abc import Iterable, Sequence

from traindx.readers.text.sheet import Pattern, Place

_BY_MARK = (
    ("lightgbm", re.compile(r"\[LightGBM\] \[")),
    ("xgboost", re.compile(r"XGBoostError|WARNING: .*xgboost")),
)
_BY_WORD = re.compile(r"(?i)\b(lightgbm|xgboost|catboost)\b")
_LIGHTGBM = re.compile(r"\w+'s [\w@.]+")
_XGBOOST = re.compile(r"(?:train|dtrain|test|dtest|eval|valid|val|validation)(?:_\d+)?-[a-z]\w*(?:@[\w.]+)?")
_CATBOOST = frozenset({"learn", "total"})


def framework_of(patterns: Sequence[Pattern], lines: Iterable[str]) -> str:
    """The library of boosted trees that printed the records, or nothing if none is known to have."""
    for pattern in patterns:
        counted = pattern.at(Place.LEAD, Place.STEP)
        if counted is None or counted.name:
            continue
        names = [pair.name.split(" +")[0] for pair in pattern.pairs]
        if any(map(_LIGHTGBM.fullmatch, names)):
            return "lightgbm"
        if names and all(map(_XGBOOST.fullmatch, names)):
            return "xgboost"
        if _CATBOOST.issubset(names):
            return "catboost"
    counts = any(pattern.positions for pattern in patterns)
    for line in () if counts else lines:
        marked = next((name for name, mark in _BY_MARK if mark.search(line)), "")
        if told := marked or ((word := _BY_WORD.search(line)) and word[1].lower()):
            return told
    return ""
