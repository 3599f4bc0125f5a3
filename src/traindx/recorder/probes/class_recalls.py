"""How much of every class is found, the rare ones counted as much as the common ones.

A batch holds few samples of a rare class, so counts are kept over batches and fade.
"""

from collections import defaultdict

from traindx.quantities import PREDICTION_RECALL
from traindx.recorder.losses.answers import answers_of
from traindx.recorder.probes.types import LossCall, Probe, Purpose, Snapshot, part_of

_KEPT = {Purpose.TRAINING: 0.7, Purpose.VALIDATION: 0.95}
"""What is left of earlier counts at every batch: looks at training lie far apart, those of a pass do not."""
_MOST_CLASSES = 100
_FEWEST = 2.0
"""Samples of a class that were seen, faded ones included, for it to count."""


class ClassRecalls(Probe):
    """Counts what is found of each class."""

    whole_passes = True

    def __init__(self) -> None:
        """Begin with nothing seen."""
        self._seen: dict[Purpose, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        self._found: dict[Purpose, dict[int, float]] = defaultdict(lambda: defaultdict(float))

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """Add the answers of a batch to those before."""
        answers = answers_of(call)
        if answers is None or not answers.chosen or answers.classes > _MOST_CLASSES:
            return
        seen, found = self._seen[call.purpose], self._found[call.purpose]
        for counts in (seen, found):
            for kind in counts:
                counts[kind] *= _KEPT[call.purpose]
        for chosen, right in zip(answers.chosen, answers.chosen_right, strict=True):
            seen[right] += 1
            found[right] += chosen == right
        shares = [found[kind] / count for kind, count in seen.items() if count >= _FEWEST]
        if len(shares) > 1:
            snapshot.add(PREDICTION_RECALL, sum(shares) / len(shares), part=part_of(call.purpose))


PROBE = ClassRecalls
