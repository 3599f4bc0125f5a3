"""The engine: what is asked, how points add up, and what a verdict needs."""

from pathlib import Path

import numpy as np
import pytest

from traindx.diagnosis import knowledge
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Verdict
from traindx.errors import TraindxError
from traindx.quantities import GRADIENT_NORM, TRAIN_LOSS, VAL_LOSS
from traindx.run import Quantity, Run, Series

STEPS = np.arange(200, dtype=np.float64)


def a_run(**values: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Run:
    known: dict[str, Quantity] = {q.slug: q for q in (TRAIN_LOSS, VAL_LOSS, GRADIENT_NORM)}
    return Run("a run", tuple(Series(known[name], STEPS[: len(v)].copy(), v) for name, v in values.items()))


def falling(points: int = 200) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return 2.3 * np.exp(-STEPS[:points] / 50) + 0.2


def test_a_run_that_learns_is_healthy() -> None:
    diagnosis = diagnose(a_run(train_loss=falling()))
    assert diagnosis.verdict is Verdict.HEALTHY
    assert "fell from 2.4" in diagnosis.says


def test_every_sign_is_asked_once() -> None:
    asked = [result.sign.slug for result in diagnose(a_run(train_loss=falling())).asked]
    assert asked == [sign.slug for sign in knowledge.signs()]


def test_shares_add_up_to_one() -> None:
    diagnosis = diagnose(a_run(train_loss=falling(), val_loss=2 - falling()))
    everyone = [*diagnosis.suspects, *diagnosis.ruled_out]
    assert diagnosis.healthy + sum(suspect.confidence for suspect in everyone) == pytest.approx(1)
    assert len(everyone) == len(knowledge.causes())


def test_reasons_add_up_to_the_score() -> None:
    diagnosis = diagnose(a_run(train_loss=falling(), val_loss=2 - falling()))
    assert diagnosis.suspects
    for suspect in diagnosis.suspects:
        assert sum(reason.points for reason in suspect.reasons) == pytest.approx(suspect.score)


def test_suspects_are_sorted_and_supported() -> None:
    suspects = diagnose(a_run(train_loss=np.full(200, np.nan))).suspects
    confidences = [suspect.confidence for suspect in suspects]
    assert confidences == sorted(confidences, reverse=True)
    assert all(any(r.seen and r.points > 0 for r in suspect.reasons) for suspect in suspects)


def test_what_was_not_recorded_counts_neither_way_and_is_said() -> None:
    diagnosis = diagnose(a_run(train_loss=falling()))
    signs = {reason.sign.slug for suspect in diagnosis.ruled_out for reason in suspect.reasons if reason.sign}
    assert "gradient_norm_grows" not in signs
    assert "val_loss" in {missing.quantity for missing in diagnosis.not_recorded}


def test_three_points_tell_nothing() -> None:
    diagnosis = diagnose(a_run(train_loss=falling(3)))
    assert diagnosis.verdict is Verdict.INCONCLUSIVE
    assert diagnosis.says == "Too short to judge: training loss has only 3 finite points over 2 steps"


def test_three_points_that_end_in_nan_tell_enough() -> None:
    assert diagnose(a_run(train_loss=np.array([2.3, 9.0, np.nan]))).verdict is Verdict.SICK


def test_a_run_without_a_loss_is_inconclusive() -> None:
    assert diagnose(a_run(gradient_norm=falling())).verdict is Verdict.INCONCLUSIVE


def test_rivals_that_share_the_belief_get_an_experiment() -> None:
    noise = np.random.default_rng(0).normal(2.303, 0.02, 200)
    diagnosis = diagnose(a_run(train_loss=noise))
    assert diagnosis.verdict is Verdict.SICK
    assert diagnosis.suspects[0].confidence < 0.8
    assert diagnosis.next_experiment is not None
    assert diagnosis.next_experiment.against


def test_the_sentence_of_a_sick_run_is_what_was_seen_and_not_the_name_of_the_cause() -> None:
    diagnosis = diagnose(a_run(train_loss=np.array([2.3, 9.0, np.nan])))
    assert diagnosis.verdict is Verdict.SICK
    assert diagnosis.says.startswith("Training loss is NaN from step 2 on (last finite value 9 at step 1)")
    assert diagnosis.suspects[0].cause.title not in diagnosis.says


def test_limits_can_be_changed() -> None:
    run = a_run(train_loss=falling())
    strict = diagnose(run, limits={"too_short": {"points": 1000.0}})
    assert strict.verdict is Verdict.INCONCLUSIVE
    with pytest.raises(TraindxError, match="did you mean too_short"):
        diagnose(run, limits={"too_shor": {"points": 1.0}})
    with pytest.raises(TraindxError, match="has no limit"):
        diagnose(run, limits={"too_short": {"point": 1.0}})


def test_a_path_with_several_runs_is_refused(tmp_path: Path) -> None:

    folder = tmp_path
    for name in ("a", "b"):
        (folder / f"{name}.csv").write_text("step,loss\n0,1\n1,0.5\n")
    with pytest.raises(TraindxError, match="2 runs"):
        diagnose(folder)
