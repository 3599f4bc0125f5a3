"""Every check passes on a healthy training and does not on the same one with a fault; none falls over."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import nn
from torch.optim import Adam

from tests.exams.preflight.rehearsals import CHECKS, ask, rehearsal_of, repeated
from tests.signs.test_inside_data import (
    NORMALIZES,
    AlwaysDrops,
    counted_from_one,
    held_from_training,
    held_of_another_kind,
    in_order,
    of_one_class,
    one_by_one,
    unbalanced,
    unscaled,
    with_holes,
)
from tests.signs.test_inside_loss import NET, flat_targets
from tests.trainings import CLASSES, CLASSIFIES, FEATURES, PREDICTS, Training, clusters, rate, scaled, stack
from traindx.exams.learning_rate.types import Course
from traindx.exams.preflight.run import all_checked
from traindx.exams.preflight.types import Length, Modes, Part, Ramp
from traindx.finding import Mark
from traindx.quantities import MEMORY
from traindx.run import Series


@dataclass(frozen=True)
class Row:
    """A check, a training with a fault that it is to see, and the cause it is to name."""

    slug: str
    broken: Training
    mark: Mark
    cause: str
    fixed: Training = CLASSIFIES


DEEP = partial(stack, FEATURES, *[12] * 8, CLASSES)


def argmax_of_scores(prediction: torch.Tensor, target: torch.Tensor) -> object:
    return (prediction == target).float().mean()


ROWS = (
    Row("finite", replace(CLASSIFIES, data=with_holes), Mark.FAIL, "non-finite-inputs"),
    Row(
        "input-scale",
        replace(CLASSIFIES, data=unscaled, optimizer=rate(1e-6)),
        Mark.WARN,
        "unnormalized-inputs",
    ),
    Row("targets", replace(CLASSIFIES, data=counted_from_one), Mark.FAIL, "labels-out-of-range"),
    Row("targets", replace(CLASSIFIES, data=of_one_class), Mark.FAIL, "degenerate-labels"),
    Row("balance", replace(CLASSIFIES, data=unbalanced), Mark.WARN, "class-imbalance"),
    Row("order", replace(CLASSIFIES, data=in_order, shuffles=False), Mark.FAIL, "not-shuffled"),
    Row("validation-data", replace(CLASSIFIES, data=held_from_training), Mark.FAIL, "train-val-leakage"),
    Row("validation-data", replace(CLASSIFIES, data=held_of_another_kind), Mark.WARN, "train-val-mismatch"),
    Row("initial-loss", replace(CLASSIFIES, begins=scaled(8)), Mark.WARN, "bad-initialization"),
    Row(
        "output",
        replace(CLASSIFIES, net=partial(NET, last=nn.Softmax(1))),
        Mark.FAIL,
        "wrong-output-activation",
    ),
    Row("loss", replace(PREDICTS, data=flat_targets), Mark.FAIL, "target-shape-broadcast", PREDICTS),
    Row("metric", replace(PREDICTS, measures=argmax_of_scores), Mark.WARN, "misleading-metric", PREDICTS),
    Row(
        "parameters",
        replace(CLASSIFIES, given=lambda net: list(net.parameters())[:2]),
        Mark.FAIL,
        "parameters-not-optimized",
    ),
    Row("initialization", replace(CLASSIFIES, begins=scaled(30)), Mark.FAIL, "bad-initialization"),
    Row(
        "nonlinearity",
        replace(CLASSIFIES, net=partial(stack, FEATURES, 16, 16, CLASSES, bend=nn.Identity)),
        Mark.WARN,
        "missing-nonlinearity",
    ),
    Row(
        "gradient-flow",
        replace(CLASSIFIES, net=partial(DEEP, bend=nn.Sigmoid)),
        Mark.FAIL,
        "vanishing-gradients",
    ),
    Row(
        "modes",
        replace(CLASSIFIES, net=NORMALIZES, evaluates=False),
        Mark.FAIL,
        "train-eval-mode-bug",
        replace(CLASSIFIES, net=NORMALIZES),
    ),
    Row("stability", replace(CLASSIFIES, optimizer=rate(30)), Mark.FAIL, "lr-too-high"),
    Row("loop", replace(CLASSIFIES, clears=False, optimizer=rate(0.001)), Mark.FAIL, "gradients-not-cleared"),
    Row("settings", replace(CLASSIFIES, optimizer=rate(0.001, 0.99)), Mark.WARN, "momentum-too-high"),
    Row("settings", replace(CLASSIFIES, optimizer=rate(1e-6)), Mark.WARN, "lr-too-low"),
    Row("time", replace(CLASSIFIES, measures=one_by_one), Mark.WARN, "host-device-sync"),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.slug}-{row.cause}")
def test_a_check_tells_a_fault_from_a_healthy_training(row: Row) -> None:
    checked, healthy = ask(row.slug, rehearsal_of(row.broken)), ask(row.slug, rehearsal_of(row.fixed))
    assert checked.mark is row.mark, checked
    assert row.cause in checked.causes, checked
    assert healthy.mark is Mark.PASS, healthy
    assert not healthy.causes


def test_every_check_has_a_fault_that_it_is_shown() -> None:
    elsewhere = {"runs", "rate", "one-batch", "length", "memory"}
    assert {row.slug for row in ROWS} | elsewhere == set(CHECKS)


@pytest.mark.parametrize("slug", CHECKS)
def test_a_check_says_why_where_it_could_not_look(slug: str) -> None:
    run = replace(rehearsal_of(CLASSIFIES).run, series=(), facts={}, model=())
    checked = ask(slug, replace(rehearsal_of(CLASSIFIES), run=run, length=Length()))
    assert checked.mark in (Mark.UNSEEN, Mark.PASS)
    assert checked.says


def test_what_took_no_step_is_neither_right_nor_wrong() -> None:
    rehearsal = replace(rehearsal_of(CLASSIFIES), steps=0, crash="ValueError: no")
    assert {ask(slug, rehearsal).mark for slug in CHECKS} == {Mark.UNSEEN, Mark.FAIL}
    assert "ValueError: no" in ask("runs", rehearsal).findings[0].says


def test_the_checks_stand_in_the_order_of_their_parts() -> None:
    parts = [Part(check.part) for check in CHECKS.values()]
    assert parts == sorted(parts, key=list(Part).index)
    assert len({(check.part, check.order) for check in CHECKS.values()}) == len(CHECKS)


def test_a_fail_is_a_warning_where_one_batch_is_learned_all_the_same(tmp_path: Path) -> None:
    far_off = rehearsal_of(replace(CLASSIFIES, begins=scaled(30)))
    learned = repeated(replace(CLASSIFIES, optimizer=partial(Adam, lr=0.02)), tmp_path)
    marks = {
        name: {checked.check.slug: checked.mark for checked in all_checked(replace(far_off, repeated=held))}
        for name, held in (("learned", learned), ("unknown", "not run"))
    }
    assert marks["unknown"]["initialization"] is Mark.FAIL
    assert marks["learned"]["initialization"] is Mark.WARN
    assert marks["learned"]["one-batch"] is Mark.PASS


def test_layers_that_were_frozen_once_learned_pass() -> None:
    def frozen_once_learned(net: nn.Module) -> None:
        first = next(net.parameters())
        with torch.no_grad():
            first.mul_(1.7)
        first.requires_grad_(False)

    checked = ask("parameters", rehearsal_of(replace(CLASSIFIES, begins=frozen_once_learned)))
    assert checked.mark is Mark.PASS
    assert "transfer" in checked.findings[0].says


@pytest.mark.parametrize(
    ("modes", "mark"),
    [
        (Modes(0.02, 0, 0, 0, 1), Mark.PASS),
        (Modes(0.9, 0, 0, 0, 1), Mark.WARN),
        (Modes(0.3, 0, 0.2, 2, 0), Mark.FAIL),
    ],
)
def test_the_modes_are_held_against_each_other(modes: Modes, mark: Mark) -> None:
    # Without a validation nothing else tells.
    rehearsal = rehearsal_of(replace(CLASSIFIES, validates_every=1000), modes=modes)
    assert ask("modes", rehearsal).mark is mark


@pytest.mark.parametrize("modes", [Modes(0.3, 0.2, 0.2, 0, 0), Modes(0.9, 0.8, 0, 0, 0)])
def test_modes_of_a_model_that_draws_random_numbers_are_not_compared(modes: Modes) -> None:
    checked = ask("modes", rehearsal_of(CLASSIFIES, modes=modes))
    assert checked.mark is Mark.PASS
    assert "the model is random" in checked.says


def test_few_steps_of_huge_batches_are_few_steps() -> None:
    large = replace(CLASSIFIES, data=partial(clusters, 512), batch=256)
    short = ask("length", rehearsal_of(large, length=Length(70, 35, 2)))
    assert (short.mark, short.causes[0]) == (Mark.WARN, "batch-too-large")
    assert ask("length", rehearsal_of(large, length=Length(7000, 3500, 2))).mark is Mark.PASS
    assert ask("length", rehearsal_of(CLASSIFIES, length=Length(70, 7, 10))).mark is Mark.PASS


def test_the_whole_run_is_timed_where_its_length_is_known() -> None:
    seconds = ask("time", rehearsal_of(CLASSIFIES)).says
    assert "for 600 steps" in seconds
    assert "per epoch" in ask("time", rehearsal_of(CLASSIFIES, length=Length(None, None, 10))).says


def test_memory_that_grows_and_memory_that_is_full_warn() -> None:
    rehearsal = rehearsal_of(CLASSIFIES, memory=2**40)
    assert ask("memory", rehearsal).mark is Mark.PASS
    assert ask("memory", replace(rehearsal, memory=1)).mark is Mark.WARN
    steps = torch.arange(1, 61).double().numpy()
    growing = Series(MEMORY, steps, 1e8 * (1 + 0.05 * steps))
    series = (*(curve for curve in rehearsal.run.series if curve.quantity != MEMORY), growing)
    checked = ask("memory", replace(rehearsal, run=replace(rehearsal.run, series=series)))
    assert (checked.mark, checked.causes) == (Mark.WARN, ("memory-leak",))


def ramp(own: float) -> Ramp:
    """A range test of a real training, as if its program ran at some rate."""
    rates, losses = [], []
    torch.manual_seed(0)
    data, net = clusters(), stack(FEATURES, 16, CLASSES)
    optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
    for step in range(75):
        rates.append(1e-6 * 10 ** (9 * step / 74))
        optimizer.param_groups[0]["lr"] = rates[-1]
        loss = nn.functional.cross_entropy(net(data.inputs), data.targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    return Ramp(own, Course(tuple(rates), tuple(losses)), 75)


@pytest.mark.parametrize(
    ("own", "mark", "cause"),
    [(0.1, Mark.PASS, ""), (900.0, Mark.FAIL, "lr-too-high"), (1e-5, Mark.WARN, "lr-too-low")],
)
def test_the_rate_is_held_against_a_range_test(own: float, mark: Mark, cause: str) -> None:
    checked = ask("rate", rehearsal_of(CLASSIFIES, ramp=ramp(own)))
    assert checked.mark is mark, checked
    assert checked.causes[:1] == ((cause,) if cause else ())


def test_a_range_test_that_was_left_out_says_so() -> None:
    checked = ask("rate", rehearsal_of(CLASSIFIES, ramp="skipped by --quick"))
    assert (checked.mark, checked.says) == (Mark.UNSEEN, "skipped by --quick")


def test_dropout_in_eval_mode_is_seen_by_its_sign_as_well() -> None:
    always = rehearsal_of(replace(CLASSIFIES, net=partial(AlwaysDrops, always=True)))
    assert "dropout-misuse" in ask("modes", always).causes


def test_a_healthy_program_passes_nearly_everything() -> None:
    rehearsal = rehearsal_of(replace(CLASSIFIES, optimizer=partial(Adam, lr=0.003)), ramp=ramp(0.1))
    marks = {slug: ask(slug, rehearsal).mark for slug in CHECKS}
    assert [slug for slug, mark in marks.items() if mark in (Mark.WARN, Mark.FAIL)] == []
    assert sum(mark is Mark.PASS for mark in marks.values()) >= 20
