"""A learning rate for a program as it is: a range test and short trainings, all of the same command."""

import math
import re
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from traindx.changes.schedule_shape import rising
from traindx.changes.source.patch import Patch, patch_of, refusal_of
from traindx.changes.types import ChangeSpec, Measure
from traindx.curves.facts import stated_number
from traindx.curves.series import whole
from traindx.errors import TraindxError
from traindx.exams.learning_rate.search import LEAST_STEPS, Plan, searched
from traindx.exams.learning_rate.types import Course, FoundRate
from traindx.facts import CHANCE_LOSS, INITIAL_LOSS
from traindx.facts import LEARNING_RATE as FIRST_RATE
from traindx.format import Displayed, count, number
from traindx.quantities import LEARNING_RATE, TRAIN_LOSS
from traindx.run import Floats, Run
from traindx.trials.measurement import curve, end
from traindx.trials.program import OUTPUT
from traindx.trials.runner import ArmResult, ShortRuns, applied
from traindx.trials.types import Progress

_FIRST = 0.4
"""Of the time: what the range test may take at most."""
_PATIENCE, _LEAST_SECONDS = 4.0, 60.0
"""A trial that takes so many times as long as the range test is taken for stalled."""
_FEWEST = 24
"""Steps of a program below which rates cannot be told apart."""
_SHORT = 0.8
"""Of the steps of a range test: a program that ends by itself before gets a shorter one."""
_REACHED = 0.9
_OWN_RATE = re.compile(r"the learning rate (\S+) ")
_STANDING = ChangeSpec("optimizer.lr", ("x", "1e-9"))
"""A rate at which weights stay where they are."""


@dataclass(frozen=True, repr=False)
class ProgramRate(Displayed):
    """The rate that was found for a program, and what it would take to use it."""

    found: FoundRate
    title: str
    """What was run, for a person: the script."""
    command: str
    """Its words, as they were run."""
    typed: str
    """The same as it was typed, to be typed again."""
    folder: Path
    """Where the recordings are."""
    seconds: float
    patch: Patch | None = None
    """The edit of the source; None where nothing is to be changed, or nobody can write it."""
    no_patch: str = ""
    """Why there is no edit where a change is suggested."""


def lr_find(
    command: str | Path | Sequence[str],
    *,
    steps: int = 300,
    minutes: float = 10.0,
    out: Path | str = ".traindx/rates",
    name: str | None = None,
    say: Progress | None = None,
    in_place: bool = False,
) -> ProgramRate:
    """Find a learning rate for a program in about `steps` optimizer steps, over six runs of it.

    The program is a script or the words of a command; it runs in copies of the working directory, or in the
    directory itself with `in_place`. `say` receives progress messages.
    """
    refuse_few(steps)
    began = time.monotonic()
    words = [str(command)] if isinstance(command, str | Path) else list(command)
    runs = ShortRuns.of(words, out, name, in_place=in_place)
    programs = _Programs(runs, 60 * minutes, say or (lambda _: None))
    result = searched(programs, Plan(steps))
    result = replace(result, notes=(*result.notes, *programs.notes, *runs.notes))
    patch, refused = _patch(result, programs.run)
    return ProgramRate(
        found=result,
        title=runs.command.title,
        command=shlex.join(runs.command.words),
        typed=shlex.join(words),
        folder=runs.folder,
        seconds=time.monotonic() - began,
        patch=patch,
        no_patch=refused,
    )


def refuse_few(steps: int) -> None:
    """Refuse a number of steps that is too small before anything runs."""
    if steps < LEAST_STEPS:
        raise TraindxError(f"--steps must be {LEAST_STEPS} or more to compare learning rates, got {steps}")


class _Programs:
    """Runs the command for a few steps, from the beginning each time."""

    def __init__(self, runs: ShortRuns, seconds: float, say: Progress) -> None:
        self._runs, self._title, self._say = runs, runs.command.title, say
        self._ends, self._patience = time.monotonic() + seconds, _FIRST * seconds
        self._own = 0.0
        self._shares: Floats = np.ones(1)
        """What the program's schedule makes of its rate, step by step."""
        self._longest: int | None = None
        """The steps the program takes, where that is less than was asked for."""
        self.run: Run
        """The recording of the range test."""
        self.notes: list[str] = []

    @property
    def own(self) -> float:
        """The rate the program gives to its optimizer."""
        return self._own

    def ramp(self, low: float, high: float, steps: int) -> Course:
        """A range test; a shorter one where the program ends before."""
        steps = min(steps, self._longest or steps)
        self._say(f"range test, {count(steps, 'step')}")
        began = time.monotonic()
        done = self._carried_out(f"range-{low:g}-{steps}", range_change(low, high, steps), steps)
        self._patience = max(_LEAST_SECONDS, _PATIENCE * (time.monotonic() - began))
        losses = self._losses(done)
        if done.crashed:
            self._refuse_broken(len(losses))
        if self._longest is None and not done.crashed and len(losses) < _SHORT * steps:
            self._longest = len(losses)
            self._refuse_few(len(losses))
            self.notes.append(f"the program ends after {count(len(losses), 'step')}, and so do the trials")
            return self.ramp(low, high, steps)
        self._own = own_rate(done)
        self.run = _run(done)
        nominal = np.array([rising(self._own, low, high, steps, taken) for taken in range(len(losses))])
        self._shares = schedule_shares(self.run, nominal, self._own)
        return Course(tuple((self._shares * nominal).tolist()), losses, broke=done.crashed)

    def hold(self, rates: Sequence[float], steps: int) -> list[Course]:
        """Short trainings that reach a rate each, beside each other."""
        if time.monotonic() > self._ends:
            raise TraindxError(f"{self._title}: time limit reached before the trials; increase --minutes")
        steps = min(steps, self._longest or steps)
        reach = float(self._shares[:steps].max())
        if reach < _REACHED and not any("warms up" in note for note in self.notes):
            self.notes.append(
                f"the program warms up: in the trials its schedule reaches {reach:.0%} of its peak, and the"
                " learning rates shown are those the trials reached"
            )
        self._say(f"trials of {count(steps, 'step')} at lr {' and '.join(map(number, rates))}")
        with self._runs.beside() as pool:
            return list(pool.map(lambda rate: self._held(rate, rate / (self._own * reach), steps), rates))

    def _held(self, rate: float, factor: float, steps: int) -> Course:
        done = self._carried_out(
            f"rate-{rate:.6g}", ChangeSpec("optimizer.lr", ("x", f"{factor:.9g}")), steps
        )
        losses, run = self._losses(done), _run(done)
        guess = _guess(run, losses)
        return Course(
            rates=tuple((self._shares[: len(losses)] * factor * self._own).tolist()),
            losses=losses,
            blind=() if guess is None else (guess,) * len(losses),
            validation=_validation(run, steps),
            broke=done.crashed,
        )

    def _carried_out(self, name: str, change: ChangeSpec, steps: int) -> ArmResult:
        done = self._runs.carry_out(name, (change,), steps, seconds=self._patience)
        if done.run is None or (done.problem and not done.crashed):
            raise TraindxError(
                f"{self._title}: {done.problem}; see its output in {done.order.folder / OUTPUT}"
            )
        if done.refused:
            raise TraindxError(f"{self._title}: the learning rate cannot be changed ({done.refused})")
        return done

    def _losses(self, done: ArmResult) -> tuple[float, ...]:
        run = _run(done)
        if TRAIN_LOSS not in run:
            raise TraindxError(
                f"{self._title}: no training loss recorded; check that it calls backward() on a loss"
            )
        return tuple(whole(run, TRAIN_LOSS).values.tolist())

    def _refuse_broken(self, steps: int) -> None:
        """Refuse a program that stops with an error at a rate that changes nothing: no rate is to blame."""
        done = self._runs.carry_out("standing", (_STANDING,), steps + 1, seconds=self._patience)
        if done.crashed:
            raise TraindxError(
                f"{self._title}: crashes at any learning rate ({done.problem}); see its output in"
                f" {done.order.folder / OUTPUT}"
            )

    def _refuse_few(self, steps: int) -> None:
        if steps < _FEWEST:
            raise TraindxError(
                f"{self._title}: only {count(steps, 'step')} in total, too few to compare learning rates;"
                f" run {_FEWEST} or more"
            )


def own_rate(done: ArmResult) -> float:
    """The rate the program gave to its optimizer, as the change has told it."""
    return next(float(match[1]) for says in applied(done.order.folder) if (match := _OWN_RATE.match(says)))


def schedule_shares(run: Run, nominal: Floats, own: float) -> Floats:
    """What the program's schedule makes of its rate at every step of a range test, as a share of it."""
    recorded = whole(run, LEARNING_RATE).values if LEARNING_RATE in run else np.array([])
    if len(recorded) < len(nominal) or not recorded[: len(nominal)].max() > 0:
        return np.ones(len(nominal))
    recorded = recorded[: len(nominal)]
    # What is recorded is the rate as the program reads it, before the change or after it: a schedule does not
    # rise over half of the decades of a range test.
    rise = recorded.max() / recorded[recorded > 0][0]
    is_changed = rise > math.sqrt(float(nominal[-1] / nominal[0]))
    shares = recorded / (nominal if is_changed else own)
    # A warm-up may begin at zero, which no logarithm knows.
    return np.asarray(np.maximum(shares, shares[shares > 0].min()))


def _run(done: ArmResult) -> Run:
    assert done.run is not None
    return done.run


def range_change(low: float, high: float, steps: int) -> ChangeSpec:
    """A rate that rises from one number to another, widened where the program's own lies outside."""
    return ChangeSpec("schedule.range", (f"{low:g}", f"{high:g}", str(steps)))


def _guess(run: Run, losses: Sequence[float]) -> float | None:
    """What a constant guess costs, where the loss is that of the loss function and nothing is added to it."""
    chance, first = stated_number(run, CHANCE_LOSS), stated_number(run, INITIAL_LOSS)
    if chance is None or first is None or not losses or abs(first - losses[0]) > 0.01 * abs(first):
        return None
    return chance


def _validation(run: Run, steps: int) -> float | None:
    """The validation loss, where one was computed in the second half of a trial."""
    points = curve(run, Measure.VALIDATION_LOSS)
    return end(run, Measure.VALIDATION_LOSS) if points and points[-1][0] >= steps / 2 else None


def _patch(result: FoundRate, run: Run) -> tuple[Patch | None, str]:
    """The edit that writes the suggested rate, as a number or, for several rates, as a factor."""
    if result.suggested is None or result.suggested == result.current:
        return None, ""
    facts = {**run.facts, FIRST_RATE: result.current}
    run_at_rate = replace(run, facts=facts)
    forms = [
        ChangeSpec("optimizer.lr", (f"{result.suggested:g}",)),
        ChangeSpec("optimizer.lr", ("x", f"{result.suggested / result.current:g}")),
    ]
    for form in forms:
        patch = patch_of((form,), run_at_rate)
        if patch is not None:
            return patch, ""
    return None, refusal_of(forms[:1], run_at_rate)
