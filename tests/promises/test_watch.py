"""`traindx.watch`, around a loop and as a plain call, changes nothing and leaves nothing behind."""

from pathlib import Path

import pytest
from torch import nn
from torch.optim import Optimizer

import traindx
from tests.promises.running import PROGRAMS, command_of, environment, pair_of, recording, run
from tests.promises.tape_reading import Taped, read_tape
from tests.promises.trainings import STEPS, changed, everything, hooks_on, surface
from traindx.recorder.attach import Watch
from traindx.run import EventKind


def tape_in(folder: Path) -> Taped:
    (path,) = folder.rglob("*.traindx")
    return read_tape(path)


def test_a_loop_inside_a_watch_is_the_same(tmp_path: Path) -> None:
    _, plain = everything()
    before = surface()

    def watching(model: nn.Module, optimizer: Optimizer) -> Watch:
        return traindx.watch(model, optimizer, out=tmp_path, budget=1.0)

    model, watched = everything(watching=watching)
    assert watched == plain
    assert changed(before, surface()) == []
    assert hooks_on(model) == []
    writer = tape_in(tmp_path)
    training = [value for number, value in enumerate(plain.losses) if number % 12 < 10]
    assert writer.values("train_loss") == pytest.approx(training, rel=1e-6)
    assert len(writer.values("val_loss")) == 3
    assert len(training) == STEPS


def test_a_failure_inside_a_watch_passes_through_and_is_recorded(tmp_path: Path) -> None:
    before = surface()
    model = nn.Linear(2, 1)

    def fails() -> None:
        with traindx.watch(model, out=tmp_path):
            model(model.weight).sum().backward()
            raise ZeroDivisionError("on purpose")

    with pytest.raises(ZeroDivisionError):
        fails()
    assert changed(before, surface()) == []
    (event,) = [
        happening for happening in tape_in(tmp_path).events if happening.kind == EventKind.EXCEPTION.value
    ]
    assert event.says == "ZeroDivisionError: on purpose"


def watched_script(folder: Path) -> Path:
    """The plain loop with two more lines."""
    source = (PROGRAMS / "plain_loop.py").read_text()
    call = f"import traindx\ntraindx.watch(model, optimizer, out={str(folder / 'runs')!r})\n"
    script = folder / "plain_loop.py"
    script.write_text(source.replace("for step in", call + "for step in", 1))
    (folder / "reproducible.py").write_text((PROGRAMS / "reproducible.py").read_text())
    return script


def test_a_plain_call_lasts_until_the_program_ends(tmp_path: Path, shared: Path) -> None:
    plain = pair_of(shared, "plain_loop", command_of("plain_loop")).plain
    script = watched_script(tmp_path)
    command = [command_of("plain_loop")[0], str(script)]
    done = run(command, tmp_path / "work", environment(shared))
    assert (done.stdout, done.stderr, done.code) == (plain.stdout, "", 0)
    assert len(tape_in(tmp_path / "runs").values("train_loss")) == 120


def test_a_watch_inside_traindx_run_joins_its_recorder(tmp_path: Path, shared: Path) -> None:
    plain = pair_of(shared, "plain_loop", command_of("plain_loop")).plain
    script = watched_script(tmp_path)
    command = recording([command_of("plain_loop")[0], str(script)], tmp_path / "out")
    done = run(command, tmp_path / "work", environment(shared))
    assert (done.stdout, done.code) == (plain.stdout, 0)
    assert len(tape_in(tmp_path / "out").values("train_loss")) == 120
    assert not (tmp_path / "runs").exists()
