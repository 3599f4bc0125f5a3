"""What the value of the loss means: what chance and the first step lose, and by which factor it is off.

Chance and the first loss are of the loss function alone, and stated only where a backward pass follows on
calls of a single one: of a sum of several losses, or of losses that alternate, neither could be compared
with the curve. Chance is told of losses that take the mean. Label smoothing, class weights and the weight
of positives enter as the loss has them; other weights have no formula.

A loss that is negated, summed in place of averaged, or divided once too often is off by a factor that stays
the same from step to step. It is told where one loss function alone led to the backward pass, and where two
looks agree: a term that is added makes the quotient change.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd.graph import Node

from traindx import facts
from traindx.recorder.graph.nodes import is_leaf
from traindx.recorder.losses.answers import Answers, answers_of
from traindx.recorder.losses.constant_guess import ConstantGuess, guess_for
from traindx.recorder.losses.function import Compares
from traindx.recorder.probes.types import LiveParameter, LossCall, Probe, Purpose, Snapshot
from traindx.recorder.tensors.access import legible, reckoning

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

    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """State what is known, if one loss function alone leads to this backward pass."""
        calls, self._calls = self._calls, []
        if not calls or len({call.key for call in calls}) > 1:
            return
        call = calls[-1]
        if self._followed is None:
            self._followed = call.key
            if call.value is not None and math.isfinite(call.value):
                snapshot.state(facts.INITIAL_LOSS, call.value)
        if call.chance is not None and call.key == self._followed:
            snapshot.state(facts.CHANCE_LOSS, call.chance)


def _key(call: LossCall, answers: Answers) -> _Key:
    """What tells one loss of the program from another: sentences of different length share theirs."""
    if answers.function.compares is Compares.CLASSES:
        return (call.function, (answers.classes,), answers.numbers is None)
    return (call.function, tuple(answers.target.shape[1:]), False)


_REDUCTIONS = {"sum": "sum", "none": "none"}
"""Everything else is a mean: "mean", "batchmean", Keras' "sum_over_batch_size" ..."""
_ENOUGH = 3
"""Times that the same factor was found after which it is known."""
_FRUITLESS = 8
"""Looks after which it is searched no more."""
_DIGITS = 4
_CLOSE = 2e-4
"""Factors of two looks that differ by less than this share are the same but for rounding."""
_MOST_CALLS = 64
_MOST_NODES = 256
"""Operations between the loss function and the backward pass."""


@dataclass(frozen=True)
class _Value:
    """What a loss function gave."""

    number: int
    """The sequence number of its node."""
    mean: float


class LossFactor(Probe):
    """Compares what loss functions give with what enters the backward pass."""

    def __init__(self) -> None:
        self._step = 0
        self._values: list[_Value] = []
        self._factor = 0.0
        self._agreed = self._looks = 0

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """State the reduction and remember the value."""
        if call.purpose is not Purpose.TRAINING:
            return
        snapshot.state(facts.LOSS_REDUCTION, _reduction(call.options))
        if snapshot.step != self._step:
            self._step = snapshot.step
            self._values.clear()
        node, value = call.value.grad_fn, call.value
        if self._is_done or node is None or not value.is_floating_point() or not value.numel():
            return
        if len(self._values) < _MOST_CALLS:
            with reckoning():
                self._values.append(_Value(node._sequence_nr(), float(value.float().mean())))

    def backward_begins(self, snapshot: Snapshot, loss: Tensor, parameters: Sequence[LiveParameter]) -> None:
        """State the factor once two looks agree."""
        values, self._values = self._values, []
        node = loss.grad_fn
        if self._is_done or not values or node is None or loss.numel() != 1:
            return
        self._looks += 1
        behind = _behind(node, min(value.number for value in values))
        led = [value for value in values if value.number in behind]
        if len(led) != 1:
            return
        factor = _quotient(float(loss.detach()), led[0].mean)
        if factor is None:
            return
        if not math.isclose(factor, self._factor, rel_tol=_CLOSE):
            self._factor, self._agreed = factor, 1
            return
        self._agreed += 1
        snapshot.state(facts.LOSS_FACTOR, float(f"{factor:.{_DIGITS}g}"))

    @property
    def _is_done(self) -> bool:
        return self._agreed >= _ENOUGH or self._looks >= _FRUITLESS


def _reduction(options: Mapping[str, object]) -> str:
    # As it was spelled before there was a word for it.
    if options.get("reduce") is False:
        return "none"
    if options.get("size_average") is False:
        return "sum"
    return _REDUCTIONS.get(str(options.get("reduction", "mean")).lower(), "mean")


def _behind(node: Node, first: int) -> set[int]:
    """Sequence numbers of what led to a node, back to the first: nothing made before depends on it."""
    numbers, waiting = {node._sequence_nr()}, [node]
    while waiting and len(numbers) < _MOST_NODES:
        for operand, _ in waiting.pop().next_functions:
            if operand is None or is_leaf(operand):
                continue
            number = operand._sequence_nr()
            if number >= first and number not in numbers:
                numbers.add(number)
                waiting.append(operand)
    return numbers


def _quotient(loss: float, value: float) -> float | None:
    if not math.isfinite(loss) or not math.isfinite(value) or abs(value) < torch.finfo(torch.float32).tiny:
        return None
    return loss / value or None
