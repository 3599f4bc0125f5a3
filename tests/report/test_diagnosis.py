import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.formats import canonical
from traindx.diagnosis.types import INSIDE, NotRecorded, Reason
from traindx.finding import Evidence
from traindx.format import percent
from traindx.quantities import REWARD, TRAIN_ACCURACY, TRAIN_LOSS, VAL_ACCURACY, VAL_LOSS
from traindx.report.blocks import Term
from traindx.report.results.comparison import speed
from traindx.report.results.evidence import (
    against,
    evidence_on,
    inseparable,
    missing,
    ordered,
    points,
    questions,
    rivals,
    sentence,
    since,
    strongest,
    sureness,
    tally,
    told_apart,
    total,
)
from traindx.report.results.run import main_series, share_at, shared_folder
from traindx.run import Axis, Quantity, Run, Series


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0.0, "<1%"), (0.009, "<1%"), (0.01, "1%"), (0.874, "87%"), (0.99, "99%"), (1.0, ">99%")],
)
def test_no_probability_is_nothing_or_everything(share: float, shown: str) -> None:
    assert percent(share) == shown


@given(st.lists(st.floats(-20, 20), min_size=1, max_size=12))
def test_printed_points_add_up_to_the_printed_total(values: list[float]) -> None:
    reasons = [Reason("because", value) for value in values]
    shown = [float(text) for text in points(reasons)]
    assert math.isclose(sum(shown), float(total(reasons)), abs_tol=1e-9)
    assert all(abs(number - value) < 0.1 + 1e-9 for number, value in zip(shown, values, strict=True))


def test_reasons_for_come_first_and_the_prior_last() -> None:
    top = canonical.sick().suspects[0]
    assert [reason.points for reason in ordered(top.reasons)] == [3.04, 2.25, -0.43, -3.0]


def test_since_is_the_earliest_evidence_counted_as_the_weightiest() -> None:
    top = canonical.sick().suspects[0]
    heavy = Reason("heavy", 5.0, canonical.DIVERGES, True, (Evidence(TRAIN_LOSS, (40.0, 50.0), 1.0),))
    early = Reason("early", 1.0, canonical.GROWS, True, (Evidence(TRAIN_LOSS, (7.0, 9.0), 1.0),))
    epoch = Reason("epoch", 1.0, canonical.GROWS, True, (Evidence(VAL_LOSS, (1, 2), 1.0, axis=Axis.EPOCH),))
    opposed = Reason("opposed", -1.0, canonical.GROWS, True, (Evidence(TRAIN_LOSS, (0.0, 1.0), 1.0),))
    evidence = since(replace(top, reasons=(epoch, opposed, early, heavy)))
    assert evidence is not None
    assert evidence.steps == (7.0, 9.0)
    assert since(replace(top, reasons=(canonical.PRIOR,))) is None


def test_rivals_are_separated_by_either_page_else_by_the_evidence_on_them() -> None:
    first, exploding, warmup = canonical.sick().suspects
    assert told_apart(first.cause, warmup) == Term(
        "confirmed if", "a warm-up to the same learning rate fixes it"
    )
    assert told_apart(first.cause, exploding) == Term(
        "ruled out if", "gradients are normal until the weights have moved"
    )
    assert told_apart(canonical.TOO_LOW, warmup) == Term("against", against(warmup))
    assert against(warmup) == "not found: the loss becomes NaN or infinite"


def test_what_nothing_contradicts_is_told_by_what_supports_it() -> None:
    *_, warmup = canonical.sick().suspects
    reasons = tuple(reason for reason in warmup.reasons if reason.points > 0)
    unheard = replace(warmup, reasons=(canonical.PRIOR,))
    assert evidence_on(replace(warmup, reasons=reasons)) == Term("for", reasons[0].says)
    assert against(unheard) == ""
    assert evidence_on(unheard).label == "evidence"


def test_the_mechanism_of_the_first_is_not_its_rival() -> None:
    diagnosis = canonical.sick()
    first, exploding, warmup = diagnosis.suspects
    assert first.mechanism == exploding.cause
    assert rivals(diagnosis) == [warmup]
    without = replace(diagnosis, suspects=(replace(first, mechanism=None), exploding, warmup))
    assert rivals(without) == [exploding, warmup]
    assert rivals(canonical.inconclusive()) == list(canonical.inconclusive().suspects)


def test_the_log_cannot_tell_apart_what_the_experiment_tests() -> None:
    assert inseparable(canonical.sick()) == ()
    assert [suspect.cause.slug for suspect in inseparable(canonical.shared())] == [
        "lr-too-high",
        "missing-warmup",
    ]


def test_a_sentence_has_one_period() -> None:
    says = canonical.sick().says
    assert sentence(canonical.sick()) == f"{says}."
    assert sentence(replace(canonical.sick(), says=f"{says}.")) == f"{says}."


def test_sureness_is_of_the_verdict() -> None:
    assert sureness(canonical.sick()) == "98%"
    assert sureness(canonical.healthy()) == "93%"
    assert sureness(canonical.inconclusive()) == ""
    assert sureness(replace(canonical.sick(), suspects=())) == "98%"


def test_checks_are_counted_and_sorted_by_result() -> None:
    assert tally(canonical.sick()) == "6 checks: 2 hit, 2 clear, 2 not enough data"
    assert questions(canonical.healthy())[0].sign is canonical.FALLS


def test_quantities_that_the_same_checks_need_share_a_line() -> None:
    assert missing(canonical.sick()) == [
        "update_ratio, weight_norm (needed to check lr-too-high)",
        "learning_rate (needed to check lr-too-high, health)",
    ]


def test_what_only_a_recording_has_is_named_in_words() -> None:
    (called,) = missing(replace(canonical.sick(), not_recorded=(NotRecorded(INSIDE, "dead-relu"),)))
    assert INSIDE not in called
    assert "`traindx run`" in called


def test_speed_names_the_fastest_and_counts_those_who_never_arrive() -> None:
    comparison = canonical.compared().comparison
    assert comparison is not None
    assert speed(comparison).startswith("val_loss 0.55 is reached by sweep/00-lr0.01 (step 120), then")
    assert speed(comparison).endswith("2 runs never reached it")
    assert speed(replace(comparison, target=None)) == ""


def _run(*quantities: Quantity) -> Run:
    steps = np.arange(5.0)
    return Run("run", tuple(Series(quantity, steps.copy(), steps.copy()) for quantity in quantities))


@pytest.mark.parametrize(
    ("recorded", "drawn"),
    [
        ((VAL_LOSS, TRAIN_LOSS), [TRAIN_LOSS, VAL_LOSS]),
        ((TRAIN_ACCURACY, VAL_ACCURACY), [TRAIN_ACCURACY, VAL_ACCURACY]),
        ((VAL_LOSS,), [VAL_LOSS]),
        ((TRAIN_LOSS, REWARD), [REWARD]),
        ((), []),
    ],
)
def test_the_curve_that_tells_is_drawn(recorded: tuple[Quantity, ...], drawn: list[Quantity]) -> None:
    assert [series.quantity for series in main_series(_run(*recorded))] == drawn


def test_a_position_is_placed_by_what_it_counts() -> None:
    run = _run(TRAIN_LOSS)
    assert share_at(run, Axis.STEP, 2.0) == 0.5
    assert share_at(run, Axis.EPOCH, 2.0) is None


def test_what_is_normal_is_not_trouble_and_the_worst_comes_first() -> None:
    findings = {asked.sign: asked.finding.says for asked in canonical.sick().findings if asked.finding}
    assert strongest(canonical.healthy()) == []
    assert strongest(canonical.sick()) == [findings[canonical.DIVERGES], findings[canonical.GROWS]]


def test_the_folder_that_all_runs_share() -> None:
    assert shared_folder(["logs/a/one", "logs/a/two"]) == "logs/a/"
    assert shared_folder(["logs/one", "other/two"]) == ""
    assert shared_folder(["logs/one"]) == ""
