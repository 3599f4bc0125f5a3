"""What the model answers: range and spread of what enters the loss function, and the classes it chooses."""

from collections import Counter

import torch

from traindx import quantities
from traindx.recorder.losses.answers import answers_of
from traindx.recorder.losses.confidence import confidently_wrong_share
from traindx.recorder.probes.types import Look, LossCall, Probe
from traindx.recorder.tensors.moments import moments
from traindx.recorder.tensors.part import part_of
from traindx.recorder.tensors.table import nonfinite_share, step_through

_MOST_OUTPUTS = 256


class Predictions(Probe):
    """Writes the statistics of the predictions."""

    def loss_is_computed(self, look: Look, call: LossCall) -> None:
        """Describe the prediction that was compared with the target."""
        answers = answers_of(call)
        if answers is None:
            return
        part = part_of(call.purpose)
        scores = answers.scores
        outputs = scores[:, :: step_through(scores.shape[1], _MOST_OUTPUTS)].to(torch.float64)
        share = nonfinite_share(answers.prediction, outputs)
        look.add(quantities.PREDICTION_NONFINITE_SHARE, share, part=part)
        found = moments(outputs)
        if found is not None:
            look.add(quantities.PREDICTION_MEAN, found.mean, part=part)
            look.add(quantities.PREDICTION_MIN, found.low, part=part)
            look.add(quantities.PREDICTION_MAX, found.high, part=part)
            if found.std is not None:
                look.add(quantities.PREDICTION_STD, found.std, part=part)
        if answers.chosen:
            counts = Counter(answers.chosen)
            commonest = max(counts.values()) / len(answers.chosen)
            look.add(quantities.PREDICTED_CLASSES, float(len(counts)), part=part)
            look.add(quantities.COMMONEST_PREDICTION_SHARE, commonest, part=part)
            wrong = confidently_wrong_share(answers)
            if wrong is not None:
                look.add(quantities.CONFIDENTLY_WRONG_SHARE, wrong, part=part)


PROBE = Predictions
