"""How sure the model is where it is wrong."""

import torch
from torch import Tensor

from traindx.recorder.losses.answers import Answers
from traindx.recorder.losses.function import Compares, Given

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
    given, scores = answers.function.given, answers.scores
    if given is Given.NOTHING:
        return None
    if answers.function.compares is Compares.YES_NO:
        yes = scores.flatten()
        yes = yes.sigmoid() if given is Given.SCORES else yes
        return torch.stack((1 - yes, yes), 1)
    if given is Given.SCORES:
        return scores.softmax(1)
    return scores.exp() if given is Given.LOGARITHMS else scores
