"""Targets that cannot be meant, though the loss function takes them, or that may not be meant.

Answers of yes and no outside of what can be answered are a fault. Classes that are counted from 1 are one in
some programs, and in others the first class stands for padding: with an output more than there are classes
nothing fails, and the first output learns never to be chosen.
"""

from traindx.facts import LABEL_FAULT, UNUSED_CLASS
from traindx.recorder.losses.answers import Answers, answers_of
from traindx.recorder.losses.function import Compares, impossible_answers
from traindx.recorder.probes.types import LossCall, Probe, Purpose, Snapshot

_LEFT_OUT = ("ignore_index", "ignore_class")
_FEWEST_TARGETS = 200
_FEWEST_PER_CLASS = 20
"""On average: of many classes, some are not seen for long."""


class LabelFaults(Probe):
    """States what is wrong with the targets of training batches, and takes it back where it was wrong."""

    def __init__(self) -> None:
        """Begin with no target seen."""
        self._seen: set[int] = set()
        self._targets = 0
        self._stated = False

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """See the targets of a training batch."""
        answers = answers_of(call)
        if answers is None or call.purpose is not Purpose.TRAINING:
            return
        if answers.function.compares is Compares.YES_NO:
            self._see_answers(snapshot, answers)
        elif answers.function.compares is Compares.CLASSES and 0 not in map(call.options.get, _LEFT_OUT):
            self._see_classes(snapshot, answers)

    def _see_answers(self, snapshot: Snapshot, answers: Answers) -> None:
        if answers.numbers is not None and answers.numbers.numel():
            fault = impossible_answers(answers.function, *map(float, answers.numbers.aminmax()))
            if fault:
                snapshot.state(LABEL_FAULT, fault)

    def _see_classes(self, snapshot: Snapshot, answers: Answers) -> None:
        found = self._first_left_out(answers)
        if found or self._stated:
            self._stated = bool(found)
            snapshot.state(UNUSED_CLASS, found)

    def _first_left_out(self, answers: Answers) -> str:
        self._seen.update(answers.right)
        self._targets += len(answers.right)
        last = answers.classes - 1
        if self._targets < max(_FEWEST_TARGETS, _FEWEST_PER_CLASS * answers.classes):
            return ""
        if last < 2 or min(self._seen) != 1 or max(self._seen) != last:
            return ""
        return f"classes 1 to {last} of {answers.classes} outputs: class 0 never occurs"


PROBE = LabelFaults
