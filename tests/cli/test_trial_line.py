"""The live line of a treatment: it fits the terminal, says what is tried, and leaves no trace."""

import re
from pathlib import Path

import pytest

from tests.cli.calling import HOT
from tests.cli.terminal import shown, terminal
from traindx.cli._trial_line import TrialLine
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis
from traindx.readers.loading.runs import load
from traindx.run import Run
from traindx.trials.types import TrialRun

LOOKS, PATIENCE = 20, 60.0
"""How often a test looks for something that is drawn, and for how many seconds at most each time."""
LONG = "relu -> leaky_relu + warm-up 500 + clip gradients at 0.0417"


def trial_run(number: int, label: str, folder: Path, *, ordered: int = 4) -> TrialRun:
    return TrialRun(number, ordered, label, 0, 1200, 30.0, folder)


def nothing(run: Run, diagnosis: Diagnosis) -> None:
    """Shows nothing."""


def drawn_until(keyboard: int, word: str) -> str:
    """All that is drawn until a word is."""
    screen = ""
    for _ in range(LOOKS):
        screen += shown(keyboard, PATIENCE)
        if word in screen:
            return screen
    raise AssertionError(f'no "{word}" in:\n{screen}')


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
def test_it_says_what_is_tried_and_fits(columns: int, tmp_path: Path) -> None:
    with terminal(columns) as keyboard, TrialLine(10, nothing) as line:
        line.say("recording the program")
        screen = drawn_until(keyboard, "recording the program · 0:")
        line.begins(trial_run(1, "lr / 10", tmp_path))
        # It falls while a trial runs, also before that has taken a step.
        screen += drawn_until(keyboard, "ETA 1:58")
        line.ends(trial_run(1, "lr / 10", tmp_path), 20.0, is_reused=False)
        line.begins(trial_run(2, LONG, tmp_path))
        # One of four took 20 seconds, and three are left.
        screen += drawn_until(keyboard, "ETA 0:59")
    for row in re.split(r"\x1b\[J|\x1b\[A|[\r\n]+", screen):
        assert len(row) < columns, row
    if columns >= 80:
        assert re.search(
            r"\[\.{14}\] trial 1/4: lr / 10, seed 0 · step 0/1,200 · \d+:\d\d · ETA 1:58", screen
        )
        assert re.search(r"trial 2/4: .* · step 0/1,200 · \d+:\d\d · ETA 0:59", screen)


def test_it_tells_how_to_stop_and_leaves_nothing(tmp_path: Path) -> None:
    with terminal() as keyboard:
        with TrialLine(10, nothing) as line:
            line.begins(trial_run(1, "control", tmp_path))
            assert "\nCtrl-C keeps what is done; limit 10:00" in drawn_until(keyboard, "limit").replace(
                "\r\n", "\n"
            )
        # Back to the start of the line, and all below it cleared.
        assert shown(keyboard, PATIENCE).endswith("\r\x1b[J")


def test_the_diagnosis_is_shown_as_soon_as_it_is_known(tmp_path: Path) -> None:
    (run,) = load(HOT)
    diagnosed: list[tuple[Run, Diagnosis]] = []
    diagnosis = diagnose(run)
    with TrialLine(10, lambda *both: diagnosed.append(both)) as line:
        line.diagnosed(run, diagnosis)
        assert diagnosed == [(run, diagnosis)]


def test_without_a_terminal_there_is_one_line_for_each_that_ends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with TrialLine(10, nothing) as line:
        for number, is_reused in ((1, True), (2, False)):
            trial = trial_run(number, "lr / 10", tmp_path, ordered=2)
            line.begins(trial)
            line.ends(trial, 3.0, is_reused=is_reused)
    output = capsys.readouterr()
    assert output.err == "trial 1/2: lr / 10, seed 0 · reused\ntrial 2/2: lr / 10, seed 0 · 3 s\n"
    assert output.out == ""
