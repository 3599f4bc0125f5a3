"""What the model answers: range and spread of predictions, the classes it chooses, how often it is right.

Regression has no accuracy. Where each sample has several targets (tokens, pixels, labels) each counts.
"""

from collections import Counter, defaultdict
from operator import eq

import torch
from torch import Tensor

from traindx import quantities
from traindx.recorder.losses.answers import Answers, answers_of
from traindx.recorder.losses.function import Compares, Given
from traindx.recorder.probes.types import LossCall, Probe, Purpose, Snapshot, part_of
from traindx.recorder.tensors.sample import moments, nonfinite_share, step_through

_UNLIKELY, _SURE = 0.1, 0.5


def confidently_wrong_share(answers: Answers) -> float | None:
    """Share of answers that give the right class less than 0.1 and another more than 0.5.

    None where nothing tells how likely the model finds a class.
    """
    right = torch.tensor(answers.right_in_scores, dtype=torch.int64, device="cpu")
    counts = right >= 0
    chances = _chances(answers)
    if chances is None or len(chances) != len(right) or not bool(counts.any()):
        return None
    if int(right.max()) >= chances.shape[1]:
        return None
    unlikely = chances.gather(1, right.clamp_min(0)[:, None])[:, 0] < _UNLIKELY
    sure = chances.amax(1) > _SURE
    return float((unlikely & sure & counts).sum()) / float(counts.sum())


def _chances(answers: Answers) -> Tensor | None:
    """The probability of each class in each row; a row for each answer of yes or no."""
    kind, scores = answers.function.given, answers.scores
    if kind is Given.NOTHING:
        return None
    if answers.function.compares is Compares.YES_NO:
        yes = scores.flatten()
        yes = yes.sigmoid() if kind is Given.SCORES else yes
        return torch.stack((1 - yes, yes), 1)
    if kind is Given.SCORES:
        return scores.softmax(1)
    return scores.exp() if kind is Given.LOGARITHMS else scores


_MOST_OUTPUTS = 256


class Predictions(Probe):
    """Writes the statistics of the predictions."""

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """Describe the prediction that was compared with the target."""
        answers = answers_of(call)
        if answers is None:
            return
        part = part_of(call.purpose)
        scores = answers.scores
        outputs = scores[:, :: step_through(scores.shape[1], _MOST_OUTPUTS)].to(torch.float64)
        share = nonfinite_share(answers.prediction, outputs)
        snapshot.add(quantities.PREDICTION_NONFINITE_SHARE, share, part=part)
        spread = moments(outputs)
        if spread is not None:
            snapshot.add(quantities.PREDICTION_MEAN, spread.mean, part=part)
            snapshot.add(quantities.PREDICTION_MIN, spread.low, part=part)
            snapshot.add(quantities.PREDICTION_MAX, spread.high, part=part)
            if spread.std is not None:
                snapshot.add(quantities.PREDICTION_STD, spread.std, part=part)
        if answers.chosen:
            counts = Counter(answers.chosen)
            commonest = max(counts.values()) / len(answers.chosen)
            snapshot.add(quantities.PREDICTED_CLASSES, float(len(counts)), part=part)
            snapshot.add(quantities.COMMONEST_PREDICTION_SHARE, commonest, part=part)
            wrong = confidently_wrong_share(answers)
            if wrong is not None:
                snapshot.add(quantities.CONFIDENTLY_WRONG_SHARE, wrong, part=part)


class Accuracy(Probe):
    """Writes the accuracy among up to 1,024 of a batch."""

    whole_passes = True

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """Compare the chosen classes with the right ones."""
        answers = answers_of(call)
        if answers is None or not answers.chosen:
            return
        right = sum(map(eq, answers.chosen, answers.chosen_right)) / len(answers.chosen)
        is_training = call.purpose is Purpose.TRAINING
        snapshot.add(quantities.TRAIN_ACCURACY if is_training else quantities.VAL_ACCURACY, right)


_KEPT = {Purpose.TRAINING: 0.7, Purpose.VALIDATION: 0.95}
"""What is left of earlier counts at every batch: looks at training lie far apart, those of a pass do not."""
_MOST_CLASSES = 100
_FEWEST = 2.0
"""Samples of a class that were seen, faded ones included, for it to count."""


class ClassRecalls(Probe):
    """Counts what is found of each class."""

    whole_passes = True

    def __init__(self) -> None:
        self._seen: dict[Purpose, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        self._found: dict[Purpose, dict[int, float]] = defaultdict(lambda: defaultdict(float))

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """Add the answers of a batch to those before."""
        answers = answers_of(call)
        if answers is None or not answers.chosen or answers.classes > _MOST_CLASSES:
            return
        occurred, correct = self._seen[call.purpose], self._found[call.purpose]
        for counts in (occurred, correct):
            for kind in counts:
                counts[kind] *= _KEPT[call.purpose]
        for chosen, right in zip(answers.chosen, answers.chosen_right, strict=True):
            occurred[right] += 1
            correct[right] += chosen == right
        shares = [correct[kind] / count for kind, count in occurred.items() if count >= _FEWEST]
        if len(shares) > 1:
            snapshot.add(quantities.PREDICTION_RECALL, sum(shares) / len(shares), part=part_of(call.purpose))
