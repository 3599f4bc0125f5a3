"""What a model that has learned nothing loses: by the best constant guess, and at the first step.

Both are of the loss function alone, and stated only where a backward pass follows on calls of a single one:
of a sum of several losses, or of losses that alternate, neither could be compared with the curve. Chance is
told of losses that take the mean. Label smoothing, class weights and the weight of positives enter as the
loss has them; other weights have no formula.
"""

from dataclasses import dataclass
from math import isfinite

from traindx import facts
from traindx.recorder.losses.answers import Answers, answers_of
from traindx.recorder.losses.constant_guess import ConstantGuess, guess_for
from traindx.recorder.losses.function import Compares
from traindx.recorder.probes.types import LiveParameter, LossCall, Probe, Purpose, Snapshot
from traindx.recorder.tensors.access import legible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

_Key = tuple[str, tuple[int, ...], bool]
_MOST_LOSSES = 16
_MEANS = ("mean", "sum_over_batch_size")
_NEWS = 1.25
"""How many more targets make a guess worth computing again."""


@dataclass(frozen=True)
class _Call:
    key: _Key
    value: float | None
    chance: float | None


class ChanceLoss(Probe):
    """States what chance and the first step lose."""

    def __init__(self) -> None:
        """Begin with no target seen."""
        self._guesses: dict[_Key, ConstantGuess | None] = {}
        self._told_at: dict[_Key, int] = {}
        self._calls: list[_Call] = []
        self._step = 0
        self._followed: _Key | None = None

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """Gather the targets of a training batch."""
        answers = answers_of(call)
        if answers is None or call.purpose is not Purpose.TRAINING:
            return
        if snapshot.step != self._step:
            self._step = snapshot.step
            self._calls.clear()
        key = _key(call, answers)
        if key not in self._guesses and len(self._guesses) < _MOST_LOSSES:
            self._guesses[key] = guess_for(answers)
        guess = self._guesses.get(key)
        chance = None
        if guess is not None and call.options.get("reduction", "mean") in _MEANS:
            guess.add(answers)
            if guess.seen > _NEWS * self._told_at.get(key, 0):
                self._told_at[key] = guess.seen
                chance = guess.loss(call.options)
        value = legible(call.value) if snapshot.step == 1 else None
        initial = float(value) if value is not None and value.numel() == 1 else None
        self._calls.append(_Call(key, initial, chance))

    def backward_begins(
        self, snapshot: Snapshot, loss: "Tensor", parameters: "Sequence[LiveParameter]"
    ) -> None:
        """State what is known, if one loss function alone leads to this backward pass."""
        calls, self._calls = self._calls, []
        if not calls or len({call.key for call in calls}) > 1:
            return
        call = calls[-1]
        if self._followed is None:
            self._followed = call.key
            if call.value is not None and isfinite(call.value):
                snapshot.state(facts.INITIAL_LOSS, call.value)
        if call.chance is not None and call.key == self._followed:
            snapshot.state(facts.CHANCE_LOSS, call.chance)


def _key(call: LossCall, answers: Answers) -> _Key:
    """What tells one loss of the program from another: sentences of different length share theirs."""
    if answers.function.compares is Compares.CLASSES:
        return (call.function, (answers.classes,), answers.numbers is None)
    return (call.function, tuple(answers.target.shape[1:]), False)


PROBE = ChanceLoss
