"""A fault inside the recorder is told once, and the training goes on as if nothing had happened."""

from collections.abc import Callable
from importlib import import_module
from itertools import count
from pathlib import Path
from pkgutil import iter_modules
from types import FunctionType

import pytest

import traindx.recorder
from tests.promises.tape_reading import Happening, read_tape
from tests.promises.trainings import Result, everything
from traindx.catalogue import modules
from traindx.recorder import guard, probes
from traindx.recorder.fast_path import FastPath
from traindx.recorder.hooks import attachment
from traindx.recorder.hooks.torch_backend import TorchBackend
from traindx.recorder.loop import Loop
from traindx.recorder.nonfinite import Nonfinite
from traindx.recorder.probes.types import Probe, probes_of
from traindx.recorder.recorder import Recorder
from traindx.recorder.recording_writer import RecordingWriter
from traindx.recorder.sources import Sources
from traindx.recorder.step import Norms, Objective, StepTimes
from traindx.recorder.streams import Stream
from traindx.run import EventKind


class InjectedError(Exception):
    """Raised by what was made to fail."""


def failing(name: str) -> Callable[..., None]:
    def fails(*args: object, **kwargs: object) -> None:
        raise InjectedError(name)

    fails.__name__ = name
    return fails


@pytest.fixture(scope="module")
def plain() -> Result:
    """The training without us."""
    return everything()[1]


def attached(folder: Path) -> Result:
    """The training with a recorder that looks as often as it may."""
    watching = attachment.attach(folder, budget=1.0)
    try:
        return everything()[1]
    finally:
        watching.detach()


def told(folder: Path) -> list[Happening]:
    """The faults a recording tells of."""
    aside = EventKind.STEPPED_ASIDE.value
    return [
        event for path in folder.glob("*.traindx") for event in read_tape(path).events if event.kind == aside
    ]


PROBES = [probe for module in modules(probes) for probe in probes_of(module)]
METHODS = [
    (probe, name)
    for probe in PROBES
    for name, value in vars(Probe).items()
    if callable(value) and not name.startswith("_") and name in vars(probe)
]
GUARDS = (Recorder, FastPath)
"""Their methods are where faults are caught."""
IN_THE_FAST_PATH = (Stream, Sources, Norms, Nonfinite, Objective, StepTimes)
PARTS = [
    value
    for module in iter_modules(traindx.recorder.__path__, "traindx.recorder.")
    if not module.ispkg
    for value in vars(import_module(module.name)).values()
    if isinstance(value, type) and value.__module__ == module.name and value not in GUARDS
]
"""Everything the recorder is made of."""
EVENTS = [name for name, value in vars(Recorder).items() if callable(value) and "__wrapped__" in vars(value)]
"""Every guarded method."""


def test_no_fault_nothing_told(tmp_path: Path, plain: Result) -> None:
    assert attached(tmp_path) == plain
    assert told(tmp_path) == []


@pytest.mark.parametrize(
    ("probe", "method"), METHODS, ids=[f"{probe.__name__}.{name}" for probe, name in METHODS]
)
def test_a_probe_that_fails_steps_aside(
    probe: type[Probe], method: str, tmp_path: Path, plain: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, method, failing(method))
    assert attached(tmp_path) == plain
    (event,) = told(tmp_path)
    assert "InjectedError" in event.says


@pytest.mark.parametrize("probe", PROBES, ids=[probe.__name__ for probe in PROBES])
def test_a_probe_that_cannot_be_made_is_left_out(
    probe: type[Probe], tmp_path: Path, plain: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "__init__", failing("__init__"))
    assert attached(tmp_path) == plain


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_that_fails_is_ignored_from_then_on(
    event: str, tmp_path: Path, plain: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Recorder, event, guard.event(failing(event)))
    assert attached(tmp_path) == plain
    assert sum("InjectedError" in happening.says for happening in told(tmp_path)) <= 1


def methods(*owners: type) -> list[object]:
    """Every public method of some classes, as parameters of a test."""
    return [
        pytest.param(owner, name, id=f"{owner.__name__}.{name}")
        for owner in owners
        for name, value in vars(owner).items()
        if isinstance(value, FunctionType) and not name.startswith("_")
    ]


@pytest.mark.parametrize(("owner", "method"), methods(Loop, RecordingWriter, TorchBackend))
def test_faults_below_the_events_stay_below(
    owner: type, method: str, tmp_path: Path, plain: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, method, failing(method))
    assert attached(tmp_path) == plain


@pytest.fixture(scope="module")
def unscaled() -> Result:
    """The training without us and without scaling, in which plain steps follow each other."""
    return everything(scaled=False)[1]


@pytest.mark.parametrize(("owner", "method"), methods(*PARTS))
def test_faults_that_come_later_stay_below_too(
    owner: type, method: str, tmp_path: Path, unscaled: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Plain steps in a row take a shorter way than those that are looked at."""
    original, calls = getattr(owner, method), count()
    fine = 12 if owner in IN_THE_FAST_PATH else 1

    def fails_later(*args: object, **kwargs: object) -> object:
        if next(calls) >= fine:
            raise InjectedError(method)
        return original(*args, **kwargs)

    monkeypatch.setattr(owner, method, fails_later)
    watching = attachment.attach(tmp_path, budget=0.02)
    try:
        watched = everything(scaled=False)[1]
    finally:
        watching.detach()
    assert watched == unscaled


def test_a_fault_that_comes_late_keeps_what_was_recorded(
    tmp_path: Path, plain: Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    original, calls = Loop.update_ends, []

    def fails_at_twenty(self: Loop, holder: object, now: float, spent: float) -> None:
        calls.append(1)
        if len(calls) == 20:
            raise InjectedError("twenty")
        original(self, holder, now, spent)

    monkeypatch.setattr(Loop, "update_ends", fails_at_twenty)
    assert attached(tmp_path) == plain
    (path,) = tmp_path.glob("*.traindx")
    assert len(read_tape(path).values("train_loss")) >= 19
    assert len(told(tmp_path)) == 1
