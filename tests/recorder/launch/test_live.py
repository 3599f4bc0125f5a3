"""Looks at a recording that grows: when they are taken, what they lead to, and what they may not do."""

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.recordings import tape_at, write_steps
from traindx.cli import _live
from traindx.cli._conditions import Met
from traindx.cli._live import Alert, Live
from traindx.quantities import TRAIN_LOSS
from traindx.trials.types import Report

SICK = {("a run", "sick"): Met("9", "--fail-on sick", "99%")}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Looks that follow each other closely, and a signal that ends nothing."""
    monkeypatch.setattr(_live, "_WAITING", 0.01)
    monkeypatch.setattr(_live, "_LEAST", 0.01)
    monkeypatch.setattr(_live, "_REST", 0.0)
    before = signal.signal(signal.SIGCHLD, lambda *_: None)
    yield
    signal.signal(signal.SIGCHLD, before)


class Looks:
    """Counts looks; after each the recording grows, and after some of them it is enough."""

    def __init__(self, folder: Path, enough: int, fault: Exception | None = None) -> None:
        self.recording = folder / "rank-0.traindx"
        self.recording.touch()
        self.taken, self._enough, self._fault = 0, enough, fault
        self.over = threading.Event()

    def __call__(self) -> Report:
        self.taken += 1
        if self.taken == self._enough:
            self.over.set()
        with self.recording.open("a") as file:
            file.write("more")
        if self._fault is not None:
            raise self._fault
        return Report(())


def test_a_condition_that_holds_twice_asks_for_the_end_once(tmp_path: Path) -> None:
    looks, said = Looks(tmp_path, 2), list[Alert]()
    with Live(tmp_path, looks, lambda _: SICK, said.append) as looking:
        assert looks.over.wait(60)
        looking._thread.join(60)
    assert looking.stop.asked
    assert looking.met == SICK["a run", "sick"]
    (alert,) = said
    assert (alert.head, alert.lines) == ("traindx [step 9]", (SICK["a run", "sick"].now,))
    assert looks.taken == 2


def test_a_condition_that_comes_and_goes_asks_for_nothing(tmp_path: Path) -> None:
    looks = Looks(tmp_path, 6)
    with Live(tmp_path, looks, lambda _: SICK if looks.taken % 2 else {}, lambda _: None) as looking:
        assert looks.over.wait(60)
    assert not looking.stop.asked
    assert looking.met is None


def test_a_fault_is_said_once_and_looks_go_on(tmp_path: Path) -> None:
    looks, said = Looks(tmp_path, 4, ZeroDivisionError("by zero")), list[Alert]()
    with Live(tmp_path, looks, lambda _: {}, said.append):
        assert looks.over.wait(60)
    (alert,) = said
    assert "failed (ZeroDivisionError: by zero); the program is not affected" in alert.lines[0]


def test_a_recording_that_does_not_grow_is_not_read_again(tmp_path: Path) -> None:
    (tmp_path / "rank-0.traindx").touch()
    taken: list[int] = []

    def look() -> Report:
        taken.append(1)
        return Report(())

    with Live(tmp_path, look, lambda _: {}, lambda _: None) as looking:
        looking._over.wait(0.5)
    assert len(taken) == 1


def test_a_recording_that_is_too_large_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_live, "_LARGEST", 3)
    looks, said, heard = Looks(tmp_path, 1), list[Alert](), threading.Event()

    def say(alert: Alert) -> None:
        said.append(alert)
        heard.set()

    looks.recording.write_text("a lot")
    with Live(tmp_path, looks, lambda _: SICK, say):
        assert heard.wait(60)
    (alert,) = said
    assert "too large for live diagnosis" in alert.lines[0]
    assert looks.taken == 0


def test_without_a_recording_nothing_is_looked_at(tmp_path: Path) -> None:
    said: list[Alert] = []
    with Live(tmp_path, lambda: pytest.fail("looked"), lambda _: SICK, said.append) as looking:
        looking._over.wait(0.1)
    assert not looking._thread.is_alive()
    assert said == []


def test_an_alert_waits_for_a_further_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_live, "_MOMENT", 0.01)
    tape = tape_at(tmp_path / "rank-0.traindx")
    tape.begin(1, "model", [])
    write_steps(tape, 1, {TRAIN_LOSS: [3.0, 2.0]})
    looking = Live(tmp_path, lambda: Report(()), lambda _: {}, lambda _: None)
    step = threading.Timer(0.2, write_steps, (tape, 1, {TRAIN_LOSS: [1.0]}), {"first": 3})
    step.start()
    assert looking._goes_on()
    # No step follows, and the program ends.
    threading.Timer(0.2, looking.hush).start()
    assert not looking._goes_on()
    tape.close()
