"""What kind of numbers the targets are: how many different ones, whether all are whole, how many per sample.

Class ids that are compared as numbers show here: few values, all whole.
"""

from math import isfinite

from traindx.facts import OUTPUTS, TARGET_VALUES, TARGETS_ARE_WHOLE
from traindx.recorder.losses.answers import answers_of
from traindx.recorder.losses.function import Compares
from traindx.recorder.probes.types import LossCall, Probe, Purpose, Snapshot

_MOST = 100
"""Values that are kept: more are simply many."""


class TargetValues(Probe):
    """Keeps the different values of the targets, until there are many."""

    def __init__(self) -> None:
        """Begin with no target seen."""
        self._values: set[float] = set()
        self._whole = True

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """See the targets of a training batch."""
        answers = answers_of(call)
        if answers is None or call.purpose is not Purpose.TRAINING:
            return
        samples = max(answers.prediction.shape[0], 1)
        snapshot.state(OUTPUTS, answers.prediction.numel() // samples)
        if answers.function.compares is not Compares.NUMBERS or answers.numbers is None:
            return
        if len(self._values) < _MOST or self._whole:
            seen = [value for value in answers.numbers.flatten()[: 16 * _MOST].tolist() if isfinite(value)]
            self._whole = self._whole and all(value.is_integer() for value in seen)
            if len(self._values) < _MOST:
                self._values.update(seen)
        snapshot.state(TARGET_VALUES, min(len(self._values), _MOST))
        snapshot.state(TARGETS_ARE_WHOLE, self._whole)


PROBE = TargetValues
