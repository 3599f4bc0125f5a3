"""What stated facts say about signs, as they would say it of a run."""

from dataclasses import replace

import numpy as np

from traindx.facts import LEARNING_RATE as STATED_RATE
from traindx.finding import Answer, CannotTell, Sign
from traindx.interview.questions.types import Judge
from traindx.quantities import LEARNING_RATE
from traindx.run import Run, Series


def by_signs(*signs: Sign) -> Judge:
    """A judge that asks signs of what was told, as it would of a run."""

    def judge(run: Run) -> dict[Sign, Answer]:
        asked = _with_rate(run)
        found = {sign: sign(asked) for sign in signs}
        return {sign: answer for sign, answer in found.items() if not isinstance(answer, CannotTell)}

    return judge


def _with_rate(run: Run) -> Run:
    """A run whose stated rate stands as a series where none was logged: signs look for its peak there."""
    rate = run.facts.get(STATED_RATE)
    if LEARNING_RATE in run or not isinstance(rate, int | float):
        return run
    series = Series(LEARNING_RATE, np.array([0.0, 1.0]), np.array([rate, rate], dtype=float))
    return replace(run, series=(*run.series, series))
