"""Programs that know nothing of traindx run the same under it, and their recordings hold what they print."""

import math
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

import pytest

from tests.promises.expected import LOSS, MOST_LOST, PROGRAMS, VAL_LOSS, Expected, printed
from tests.promises.running import PROGRAMS as SHELF
from tests.promises.running import Pair, command_of, pair_of
from tests.promises.tape_reading import Taped, read_tape
from traindx.readers.loading.runs import load
from traindx.recorder.hooks import attachment
from traindx.run import EventKind

EVERY_TIME = {
    "plain_loop",
    "compiled_inductor",
    "lightning_fit",
    "hf_trainer",
    "keras_fit",
    "workers_fork",
    "forks_midway",
    "ddp",
    "crash_midway",
    "terminated",
}
"""One program of each kind; the others run with `make test-all`."""
IN_THIS_PROCESS = [program for program in PROGRAMS if program.name in ("two_optimizers", "fp16_scaler")]
"""What these promise holds without a process of their own too, which takes a tenth of the time."""


def each(kind: Callable[[Expected], object]) -> pytest.MarkDecorator:
    """A test of every program of a kind."""
    cases = []
    for program in filter(kind, PROGRAMS):
        marks = () if program.name in EVERY_TIME else (pytest.mark.slow,)
        cases.append(pytest.param(program, marks=marks, id=program.name))
    return pytest.mark.parametrize("program", cases)


every_program = each(lambda program: True)
every_recorded_program = each(lambda program: program.losses or program.steps)


def outcomes(program: Expected, shared: Path) -> Pair:
    # Looked for, not imported: some take five seconds, or a setting that only their program makes.
    if find_spec(program.needs) is None:
        pytest.skip(f"needs {program.needs}")
    if program.name == "compiled_inductor" and " " in sys.prefix:
        pytest.skip("torch's compiler cannot link to a torch in a folder with a space in its name")
    return pair_of(shared, program.name, command_of(program.name, program.arguments, program.ranks))


def same(found: Sequence[float], expected: Sequence[float], tolerance: float = 1e-6) -> bool:
    """Whether two lists of numbers are the same but for rounding; NaN is NaN."""
    if len(found) != len(expected):
        return False
    return all(
        (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=tolerance, abs_tol=1e-9)
        for a, b in zip(found, expected, strict=True)
    )


def begins(found: Sequence[float], expected: Sequence[float], missing: int) -> bool:
    """Whether two lists are the same but for a few numbers at the end that were not found."""
    return len(found) + missing >= len(expected) and same(found, expected[: len(found)])


@every_program
def test_program_runs_as_it_does_without_us(program: Expected, shared: Path) -> None:
    pair = outcomes(program, shared)
    assert pair.plain.code == program.code, pair.plain.stderr
    assert pair.recorded.stdout == pair.plain.stdout
    assert pair.recorded.stderr.startswith(pair.plain.stderr), pair.recorded.stderr
    assert pair.recorded.code == program.code, pair.report
    assert pair.recorded.left == pair.plain.left


@every_program
def test_one_recording_per_process_that_trains(program: Expected, shared: Path) -> None:
    pair = outcomes(program, shared)
    trains = bool(program.losses or program.steps)
    assert len(pair.tapes) == (program.files if trains else 0)
    # Another test process that reads the recording has an empty file beside it, for a moment.
    beside = [path for path in pair.out.rglob("*-wal") if path.exists() and path.stat().st_size]
    assert not beside, "a closed recording is one file"
    if not trains:
        assert pair.report.count("NOTHING RECORDED") == 1
        assert not list(pair.out.rglob("*")), "nothing recorded, nothing left"


@every_recorded_program
def test_nothing_steps_aside(program: Expected, shared: Path) -> None:
    aside = EventKind.STEPPED_ASIDE.value
    tapes = [read_tape(path) for path in outcomes(program, shared).tapes]
    assert [event.says for writer in tapes for event in writer.events if event.kind == aside] == []


@every_recorded_program
def test_recording_holds_the_losses_that_the_program_prints(program: Expected, shared: Path) -> None:
    pair = outcomes(program, shared)
    tapes = [read_tape(path) for path in pair.tapes]
    recorded = [[v for _, v in points] for writer in tapes for points in writer.of("train_loss").values()]
    if program.steps is not None:
        assert [len(values) for values in recorded] == [program.steps]
        return
    expected = [
        [value / program.over for value in printed(pattern, pair.plain.stdout)] for pattern in program.losses
    ]
    assert all(expected), "the pattern finds nothing in the output"
    missing = MOST_LOST if program.cut_off else 0
    unmatched = [values for values in recorded if not any(begins(values, loss, missing) for loss in expected)]
    assert unmatched == []
    assert len(recorded) == len(expected)


@every_recorded_program
def test_steps_are_counted_from_one(program: Expected, shared: Path) -> None:
    for path in outcomes(program, shared).tapes:
        for key, points in read_tape(path).of("train_loss").items():
            assert [step for step, _ in points] == list(range(1, len(points) + 1)), key


@each(lambda program: program.rates)
def test_recording_holds_the_learning_rates(program: Expected, shared: Path) -> None:
    pair = outcomes(program, shared)
    rates = list(read_tape(pair.tapes[0]).of("learning_rate").values())
    expected = printed(program.rates, pair.plain.stdout)
    assert any(same([value for _, value in points], expected) for points in rates), rates


@each(lambda program: program.norms)
def test_recording_holds_the_gradient_norm_before_clipping(program: Expected, shared: Path) -> None:
    pair = outcomes(program, shared)
    (points,) = read_tape(pair.tapes[0]).of("gradient_norm").values()
    expected = printed(program.norms, pair.plain.stdout)
    assert len(points) >= 10
    assert same([value for _, value in points], [expected[int(step) - 1] for step, _ in points])


@each(lambda program: program.validated)
def test_recording_holds_the_validation_losses(program: Expected, shared: Path) -> None:
    pair = outcomes(program, shared)
    writer = read_tape(pair.tapes[0])
    values = [value for key, points in writer.of("val_loss").items() if not key.part for _, value in points]
    # The program may add up in another order, or in half the precision.
    assert same(values, printed(VAL_LOSS, pair.plain.stdout), tolerance=1e-5)
    # All of them switch the model to eval() and gradients off; not every pass is looked at.
    assert set(writer.stated("validated_in_train_mode")) <= {0.0}
    assert set(writer.stated("validated_with_gradient")) <= {0.0}


@every_recorded_program
def test_recording_holds_facts_layers_and_events(program: Expected, shared: Path) -> None:
    pair = outcomes(program, shared)
    for path in pair.tapes:
        writer = read_tape(path)
        stated = {
            fact: value for fact, value in program.facts.items() if value not in writer.stated(fact.slug)
        }
        assert {fact.slug: writer.stated(fact.slug) for fact in stated} == {}, stated
        if program.layers:
            assert program.layers in writer.layers.values()
        ended = {EventKind.EXCEPTION.value, EventKind.INTERRUPTED.value, EventKind.NONFINITE.value}
        assert writer.kinds() & ended == {kind.value for kind in program.events}
        assert writer.meta["exit_code"] == program.code
        assert writer.meta["ranks"] == max(program.ranks, 1)
        assert_costs(writer)


def assert_costs(writer: Taped) -> None:
    (cost,) = writer.stated("recording_cost")
    assert isinstance(cost, float)
    # A share of the program's own CPU time, which may be less than that of recording a few steps.
    assert 0 < cost < float("inf")


@every_recorded_program
def test_report_stands_after_the_programs_own_output(program: Expected, shared: Path) -> None:
    pair = outcomes(program, shared)
    assert pair.report.startswith("\n"), pair.report
    assert "report.html" in pair.report, pair.report
    assert "the report failed" not in pair.report


@pytest.mark.parametrize("program", IN_THIS_PROCESS, ids=lambda program: program.name)
def test_program_does_the_same_in_this_process(
    program: Expected, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(SHELF)
    script = str(SHELF / f"{program.name}.py")
    run_path(script, run_name="__main__")
    plain = capsys.readouterr().out
    watching = attachment.attach(tmp_path, budget=1.0)
    try:
        run_path(script, run_name="__main__")
    finally:
        watching.detach()
    assert capsys.readouterr().out == plain
    (path,) = tmp_path.glob("*.traindx")
    writer = read_tape(path)
    assert EventKind.STEPPED_ASIDE.value not in writer.kinds()
    (points,) = writer.of("train_loss").values()
    assert same([loss for _, loss in points], printed(LOSS, plain))
    assert [step for step, _ in points] == list(range(1, len(points) + 1))
    assert all(value in writer.stated(fact.slug) for fact, value in program.facts.items())
    assert not program.layers or program.layers in writer.layers.values()


@each(lambda program: program.ranks)
def test_all_ranks_get_one_report(program: Expected, shared: Path) -> None:
    pair = outcomes(program, shared)
    assert len(pair.tapes) == program.ranks
    assert len(load(pair.out)) == 1
    assert "2 runs" not in pair.report


def test_every_program_is_known() -> None:
    helpers = {"reproducible", "endless"}
    known = {program.name for program in PROGRAMS}
    assert {path.stem for path in SHELF.glob("*.py")} - helpers == known
    assert known >= EVERY_TIME
