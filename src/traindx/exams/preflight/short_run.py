"""A short run of the program, recorded and judged."""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from traindx.changes.schedule_shape import rising
from traindx.changes.types import ChangeSpec
from traindx.curves.series import whole
from traindx.errors import TraindxError
from traindx.exams.learning_rate.program import own_rate, range_change, schedule_shares
from traindx.exams.learning_rate.types import Course
from traindx.exams.preflight.types import Length, Modes, Ramp, Rehearsal, Repeated
from traindx.facts import BACKWARDS_PER_STEP, PLANNED_EPOCHS, STEPS_PER_EPOCH
from traindx.format import count
from traindx.quantities import STEP_TIME, TRAIN_LOSS
from traindx.recorder.launch.outcome import stopped
from traindx.run import Run
from traindx.trials.measurement import steps_of
from traindx.trials.program import OUTPUT
from traindx.trials.runner import ArmResult, ShortRuns, applied, last_line, refused
from traindx.trials.types import Progress

STEPS = 100
"""Of the program as it is: enough for two looks at every layer and, in small programs, for a validation."""

_REPEATED = 300
"""Steps with one batch at most: what a fitting rate learns by heart takes tens of them."""

_FEWEST_REPEATED = 60

_RANGE, _LOW, _HIGH = 75, 1e-7, 10.0
"""The range test of lr-find: steps, lowest and highest rate."""

_FEWEST_RANGE = 24

_START = 60.0
"""Seconds that a program may take to come to its first step, and more where the first run did."""

REPEAT = ChangeSpec("batches.repeat")

_UNDROPPED = ChangeSpec("regularize.dropout", ("0",))


@dataclass
class Rehearsing:
    """Everything that is needed to run the program once more."""

    runs: ShortRuns
    seconds: float
    """That each run of the program may take, its start aside."""
    say: Progress
    began: float = field(default_factory=time.monotonic)
    taken: int = 0
    """Steps over all runs."""
    _step: float = 0.0
    """Seconds of a step."""
    _start: float = _START
    _whole: int | None = field(default=None)
    """Steps of a program that ended by itself."""
    _crashed: bool = False

    def rehearsed(self, steps: int, *, ranges: bool) -> Rehearsal:
        """All that is tried; `ranges` says whether the rate is raised in a run of its own."""
        rehearsal = self.begun(steps)
        if self._crashed:
            why = "the program crashes"
            return replace(rehearsal, repeated=why, modes=why, ramp=why)
        self.say(
            "overfitting one batch, and a learning rate range test" if ranges else "overfitting one batch"
        )
        with self.runs.beside() as pool:
            repeating = pool.submit(self._repeated)
            raising = pool.submit(self._ramp) if ranges else None
            repeated, modes = repeating.result()
            ramp = raising.result() if raising else "skipped by --quick"
        return replace(rehearsal, repeated=repeated, modes=modes, ramp=ramp)

    def begun(self, steps: int) -> Rehearsal:
        """The first steps of the program as it is, and nothing else."""
        first = self._first(steps)
        run = first.run
        assert run is not None
        self._crashed = first.crashed
        return Rehearsal(
            run=run,
            steps=steps_of(run),
            crash=last_line(first.order.folder / OUTPUT) if first.crashed else "",
            length=self._length(run, first.order.folder),
            memory=_machine_bytes(),
        )

    def _first(self, steps: int) -> ArmResult:
        """The program as it is."""
        self.say(f"first {count(steps, 'step')} of the unchanged program")
        began = time.monotonic()
        done = self._carried_out("as-it-is", (), steps, observes=("length",), is_alone=True)
        if done.run is None:
            output = done.order.folder / OUTPUT
            raise TraindxError(f"{self.runs.command.title}: {done.problem}; see its output in {output}")
        took = time.monotonic() - began
        times = whole(done.run, STEP_TIME).finite.values if STEP_TIME in done.run else np.array([])
        # The first step pays for much that later ones do not.
        self._step = float(np.mean(times[1:])) if len(times) > 1 else took
        self._start = max(_START, 2 * took)
        if not done.problem and not stopped(done.order.folder):
            self._whole = steps_of(done.run)
        return done

    def _repeated(self) -> tuple[Repeated | str, Modes | str]:
        """The same batch at every step, without dropout, and both modes at the end."""
        steps = int(min(_REPEATED, max(_FEWEST_REPEATED, self.seconds / max(self._step, 1e-6))))
        done = self._carried_out("one-batch", (REPEAT, _UNDROPPED), steps, observes=("modes",))
        folder = done.order.folder
        if done.run is None:
            return done.problem, done.problem
        modes = _modes(folder)
        why = refused(folder, REPEAT)
        if why:
            return f"one batch cannot be repeated: {why}", modes
        crash = last_line(folder / OUTPUT) if done.crashed else ""
        return Repeated(done.run, applied(folder)[0], crash), modes

    def _ramp(self) -> Ramp | str:
        """A range test."""
        steps = min(_RANGE, self._whole or _RANGE)
        if steps < _FEWEST_RANGE:
            return f"only {count(steps, 'step')} in total, too few for a range test"
        if steps * self._step > 2 * self.seconds:
            return f"a range test of {steps} steps would take {steps * self._step:.0f} s; increase --seconds"
        done = self._carried_out("range", (range_change(_LOW, _HIGH, steps),), steps)
        if done.run is None or TRAIN_LOSS not in done.run:
            return done.problem or "no training loss recorded"
        if done.refused:
            return f"the learning rate cannot be changed: {done.refused}"
        return _ramped(done.run, own_rate(done), steps, broke=done.crashed)

    def _carried_out(
        self,
        name: str,
        changes: tuple[ChangeSpec, ...],
        steps: int,
        *,
        observes: tuple[str, ...] = (),
        is_alone: bool = False,
    ) -> ArmResult:
        seconds = self._start + self.seconds
        done = self.runs.carry_out(
            name, changes, steps, seconds=seconds, observes=observes, is_alone=is_alone
        )
        self.taken += steps_of(done.run) if done.run is not None else 0
        return done

    def _length(self, run: Run, folder: Path) -> Length:
        if self._whole is not None:
            return Length(self._whole, says="the program ended")
        return length_of(_kept(folder, "length"), run)


def length_of(told: Mapping[str, object], run: Run) -> Length:
    """The length of a program from what its trainer, its loops or Keras say of it."""
    epochs, each = _whole(run.facts.get(PLANNED_EPOCHS)), _whole(run.facts.get(STEPS_PER_EPOCH))
    if "trainer" in told:
        steps, epochs = _whole(told.get("steps")), _whole(told.get("epochs"))
        return Length(
            steps, epochs, each or (steps // epochs if steps and epochs else None), str(told["trainer"])
        )
    if epochs and each:
        return Length(epochs * each, epochs, each, "arguments of fit")
    times = told.get("times")
    loops = [_whole(moment) for moment in times] if isinstance(times, list) else []
    if not loops or loops[0] is None:
        return Length(
            None, None, each, "run length not known: its outer loop has no fixed number of iterations"
        )
    first_round = _whole(told.get("round"))
    if first_round:
        return Length(loops[0] * first_round, loops[0], first_round, "loops of the program")
    inner = [moment for moment in loops[1:] if moment]
    if len(inner) < len(loops) - 1:
        return Length(
            None, loops[0], each, "run length not known: an inner loop has no fixed number of iterations"
        )
    batches = int(np.prod(inner)) if inner else 1
    per_step = _whole(run.facts.get(BACKWARDS_PER_STEP)) or 1
    return Length(loops[0] * batches // per_step, loops[0], batches // per_step, "loops of the program")


def _whole(value: object) -> int | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and value > 0 else None  # type: ignore[call-overload,operator]


def _kept(folder: Path, name: str) -> Mapping[str, object]:
    """What an observer left."""
    try:
        content = json.loads((folder / f"{name}.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {"problem": "the program ended too early"}
    return content if isinstance(content, dict) else {}


def _modes(folder: Path) -> Modes | str:
    says = _kept(folder, "modes")
    return str(says["problem"]) if "problem" in says else Modes(**says)  # type: ignore[arg-type]


def _ramped(run: Run, own: float, steps: int, *, broke: bool) -> Ramp:
    losses = tuple(whole(run, TRAIN_LOSS).values.tolist())
    nominal = np.array([rising(own, _LOW, _HIGH, steps, taken) for taken in range(len(losses))])
    rates = schedule_shares(run, nominal, own) * nominal
    return Ramp(own, Course(tuple(rates.tolist()), losses, broke=broke), steps)


def _machine_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None
