"""How often the answer is right: the class with the highest score, or a yes where yes is right.

Regression has none. Where each sample has several targets (tokens, pixels, labels) each of them counts.
"""

from operator import eq

from traindx.quantities import TRAIN_ACCURACY, VAL_ACCURACY
from traindx.recorder.losses.answers import answers_of
from traindx.recorder.probes.types import LossCall, Probe, Purpose, Snapshot


class Accuracy(Probe):
    """Writes the share of right answers among up to 1,024 of a batch."""

    whole_passes = True

    def loss_is_computed(self, snapshot: Snapshot, call: LossCall) -> None:
        """Compare the chosen classes with the right ones."""
        answers = answers_of(call)
        if answers is None or not answers.chosen:
            return
        right = sum(map(eq, answers.chosen, answers.chosen_right)) / len(answers.chosen)
        snapshot.add(TRAIN_ACCURACY if call.purpose is Purpose.TRAINING else VAL_ACCURACY, right)


PROBE = Accuracy
