"""The rules of peers, re-expressed on a recording: fixed thresholds, one rule a symptom, the first counts.

The thresholds are those that AUTOTRAINER, DeepLocalize, UMLAUT and SageMaker Debugger publish; each rule is
given the cause that its advice treats. They are here to be beaten, not to be used.
"""

from collections.abc import Callable

import numpy as np

from traindx import quantities as q
from traindx.facts import CLASS_BALANCE, LEARNING_RATE, OUTPUT_ACTIVATION
from traindx.run import Quantity, Run


def _values(run: Run, quantity: Quantity) -> list[float]:
    return [float(value) for series in run.all(quantity) for value in series.values]


def _is_nan(run: Run) -> bool:
    return not np.isfinite(_values(run, q.TRAIN_LOSS)).all()


def _explodes(run: Run) -> bool:
    """A gradient norm above 100."""
    return any(value > 100 for value in _values(run, q.GRADIENT_NORM))


def _vanishes(run: Run) -> bool:
    """A layer whose gradients are below 1e-7 on average."""
    return any(
        float(np.nanmedian(series.values)) < 1e-7 for series in run.all(q.GRADIENT_NORM) if series.layer
    )


def _dies(run: Run) -> bool:
    """Half of a layer's outputs zero at the end."""
    return any(series.values[-1] >= 0.5 for series in run.all(q.ACTIVATION_ZERO_SHARE) if len(series))


def _unnormalized(run: Run) -> bool:
    """Inputs outside of -1 to 1."""
    return any(value > 1.0001 for value in _values(run, q.INPUT_MAX)) or any(
        value < -1.0001 for value in _values(run, q.INPUT_MIN)
    )


def _high_rate(run: Run) -> bool:
    """A learning rate above 0.01."""
    rates = _values(run, q.LEARNING_RATE) or [float(run.facts.get(LEARNING_RATE, 0.0))]
    return max(rates) > 0.01


def _overfits(run: Run) -> bool:
    """A validation loss more than a tenth above the training loss at the end."""
    if q.VAL_LOSS not in run or q.TRAIN_LOSS not in run:
        return False
    end = float(np.mean(run[q.TRAIN_LOSS].values[-20:]))
    return bool(run[q.VAL_LOSS].values[-1] > 1.1 * end)


def _oscillates(run: Run) -> bool:
    """More than a fifth of the steps change direction by more than 0.03."""
    changes = np.diff(np.array(_values(run, q.TRAIN_LOSS)))
    return (
        len(changes) > 2
        and float(np.mean((changes[1:] * changes[:-1] < 0) & (abs(changes[1:]) > 0.03))) > 0.2
    )


def _stalls(run: Run) -> bool:
    """No new best in the last ten steps."""
    loss = np.array(_values(run, q.TRAIN_LOSS))
    return len(loss) > 20 and float(np.min(loss[-10:])) >= float(np.min(loss[:-10]))


def _imbalanced(run: Run) -> bool:
    """Ten of the commonest class for one of the rarest."""
    return float(run.facts.get(CLASS_BALANCE, 1.0)) > 10


def _activates_last(run: Run) -> bool:
    """Any activation in front of the loss."""
    return bool(run.facts.get(OUTPUT_ACTIVATION))


RULES: tuple[tuple[str, Callable[[Run], bool]], ...] = (
    ("exploding-gradients", _is_nan),
    ("exploding-gradients", _explodes),
    ("vanishing-gradients", _vanishes),
    ("dead-relu", _dies),
    ("wrong-output-activation", _activates_last),
    ("class-imbalance", _imbalanced),
    ("lr-too-high", _oscillates),
    ("lr-too-high", _high_rate),
    ("unnormalized-inputs", _unnormalized),
    ("overfitting", _overfits),
    ("lr-too-low", _stalls),
)
"""What is blamed by which rule, in the order in which they are asked."""


def blamed(run: Run | None) -> list[str]:
    """What the rules blame, the first first."""
    if run is None:
        return []
    return list(dict.fromkeys(cause for cause, rule in RULES if rule(run)))
