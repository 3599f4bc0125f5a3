"""The second process builds optimizer and schedule anew; the twin loads both from the checkpoint."""

import pytest

from tests.resumed import SAVED, resumed
from tests.twins import LogTwin
from traindx.causes import resume_state_lost as lost
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Verdict
from traindx.facts import LEARNING_RATE_BEFORE, LOSS_BEFORE, RESUMED_AT
from traindx.finding import Finding
from traindx.quantities import TRAIN_LOSS

TWIN = LogTwin(
    broken=lambda: resumed(keeps_optimizer=False, keeps_schedule=False),
    fixed=resumed,
)


def test_the_twin_that_keeps_its_state_is_one_healthy_run() -> None:
    run = TWIN.fixed()
    assert run.others == ()
    assert RESUMED_AT not in run.facts
    assert run[TRAIN_LOSS].steps[0] == 0
    assert diagnose(run).verdict is Verdict.HEALTHY


def test_the_run_that_lost_its_state_is_a_run_of_its_own_that_knows_what_was_before() -> None:
    run = TWIN.broken()
    assert (run.number, len(run.others)) == (2, 1)
    assert run.facts[RESUMED_AT] == run[TRAIN_LOSS].steps[0] == SAVED
    assert {LOSS_BEFORE, LEARNING_RATE_BEFORE} <= set(run.facts)
    assert diagnose(run).verdict is Verdict.SICK


def test_a_schedule_that_starts_over_is_enough() -> None:
    run = resumed(keeps_schedule=False)
    assert isinstance(lost.lr_restarts_on_resume(run), Finding)
    assert diagnose(run).suspects[0].cause is lost.CAUSE


@pytest.mark.parametrize("keeps", [True, False])
def test_what_was_joined_has_no_seam_to_judge(keeps: bool) -> None:
    # Without its optimizer but with its schedule this training does not jump: nothing is lost to see.
    run = resumed(keeps_optimizer=keeps)
    assert not isinstance(lost.loss_jumps_on_resume(run), Finding)
    assert not isinstance(lost.lr_restarts_on_resume(run), Finding)


def test_weights_that_were_not_loaded_jump_while_the_learning_rate_continues() -> None:
    run = resumed(keeps_model=False)
    assert isinstance(lost.loss_jumps_on_resume(run), Finding)
    assert lost.lr_restarts_on_resume(run) is None
    assert diagnose(run).suspects[0].cause is lost.CAUSE
