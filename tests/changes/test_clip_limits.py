"""Limits of clipping, from the gradient norms that a run recorded."""

import numpy as np
import pytest

from traindx.changes.types import label_of, parse_change
from traindx.facts import GRADIENT_CLIP
from traindx.quantities import GRADIENT_NORM, TRAIN_LOSS
from traindx.run import Run, Series
from traindx.trials.plan import prescribed


def recorded(norms: list[float], losses: list[float], clip: float | None = None) -> Run:
    steps = np.arange(1.0, len(norms) + 1)
    series = (Series(GRADIENT_NORM, steps, np.array(norms)), Series(TRAIN_LOSS, steps, np.array(losses)))
    return Run("run", series, facts={} if clip is None else {GRADIENT_CLIP: clip})


@pytest.mark.parametrize(
    ("typical", "clip", "becomes"), [(2.0, 0.005, "x 1000"), (0.4, 0.03, "x 16.6667"), (40.0, 1.0, "x 50")]
)
def test_a_limit_is_raised_above_most_norms(typical: float, clip: float, becomes: str) -> None:
    spread = np.random.default_rng(0).uniform(0.8, 1.25, 200) * typical
    run = recorded([*spread, *[20 * typical] * 10], [1.0] * 210, clip)
    assert prescribed("gradients.clip x 10", run) == (parse_change(f"gradients.clip {becomes}"),)


def test_without_a_limit_or_norms_the_factor_stays() -> None:
    for run in (recorded([2.0] * 50, [1.0] * 50), recorded([2.0] * 3, [1.0] * 3, 0.1), Run("run", ())):
        assert prescribed("gradients.clip x 10", run) == (parse_change("gradients.clip x 10"),)


def test_norms_of_a_loss_that_ran_away_are_not_taken_for_a_limit() -> None:
    blown = [1e6 * 2.0**step for step in range(30)]
    late = prescribed("gradients.clip p95", recorded([*[2.0] * 20, *blown], [*[1.0] * 20, *blown]))
    assert late == (parse_change("gradients.clip 2"),)
    assert prescribed("gradients.clip p95", recorded([2.0, *blown], [1.0, *blown])) is None
    assert prescribed("gradients.clip p95", Run("run", ())) == (parse_change("gradients.clip 1.0"),)


def test_a_large_limit_is_written_as_people_read_it() -> None:
    changes = prescribed("gradients.clip p95", recorded([1.74e6] * 20, [1.0] * 20))
    assert changes is not None
    assert label_of(changes) == "clip gradients at 1.74e6"
