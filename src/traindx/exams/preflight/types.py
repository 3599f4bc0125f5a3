"""The types of a rehearsal before the long run: what was tried, and the list of what was checked."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from traindx.exams.learning_rate.types import Course
from traindx.exams.questions import Checked, is_bad, verdict
from traindx.finding import Finding, Mark
from traindx.format import Displayed, count
from traindx.run import Run


class Part(StrEnum):
    """What a check is about; a list goes through them in this order."""

    PROGRAM = "program"
    DATA = "data"
    LOSS = "loss"
    MODEL = "model"
    STEPS = "steps"
    LEARNING = "learning"
    COST = "cost"


@dataclass(frozen=True)
class Length:
    """How long the whole run is to be, as far as the program says."""

    steps: int | None = None
    """Optimizer steps in all."""
    epochs: int | None = None
    epoch_steps: int | None = None
    says: str = ""
    """Where that is known from."""


@dataclass(frozen=True)
class Repeated:
    """The program with the same batch at every step, and without dropout."""

    run: Run
    says: str
    """How the batch was held."""
    crash: str = ""


@dataclass(frozen=True)
class Modes:
    """What the model makes of one batch in train mode and in eval mode, dropout off in both."""

    differs: float
    """Between the modes, over how much outputs differ from sample to sample."""
    random_in_train: float
    """The same between two calls in train mode."""
    random_in_eval: float
    dropped_in_eval: int
    """Dropouts that are active in eval mode."""
    norms: int
    """Layers that normalize by running averages in eval mode."""


@dataclass(frozen=True)
class Ramp:
    """A rate that rises over many decades: the rates and losses of its steps."""

    own: float
    course: Course
    steps: int
    """How many it was to take."""


@dataclass(frozen=True)
class Rehearsal:
    """All that was tried before the long run; what could not be tried says why not."""

    run: Run
    """The first steps of the program as it is."""
    steps: int
    """How many it took."""
    crash: str = ""
    """The last line of a program that stopped with an error of its own."""
    length: Length = Length()
    repeated: Repeated | str = "not run"
    modes: Modes | str = "not run"
    ramp: Ramp | str = "not run"
    memory: int | None = None
    """Bytes of the machine."""


@dataclass(frozen=True, repr=False)
class Checklist(Displayed):
    """What a rehearsal came to."""

    exam: ClassVar[str] = "preflight"
    cleared: ClassVar[tuple[str, ...]] = ()
    title: str
    """What was run, for a person: the script."""
    command: str
    checked: tuple[Checked, ...]
    steps: int
    """Optimizer steps that were taken, over all runs of the program."""
    seconds: float
    folder: str
    notes: tuple[str, ...] = field(default=())
    run: Run | None = field(default=None, compare=False, repr=False)
    """The first steps of the program as it is."""

    def having(self, mark: Mark) -> tuple[Checked, ...]:
        """The checks that came out so."""
        return tuple(one for one in self.checked if one.mark is mark)

    @property
    def mark(self) -> Mark:
        """The worst of all checks."""
        return verdict(self.checked)

    @property
    def problems(self) -> tuple[Finding, ...]:
        """What points to a cause and is worth a warning."""
        found = [finding for one in self.checked for finding in one.findings]
        return tuple(finding for finding in found if finding.cause and is_bad(finding))

    @property
    def says(self) -> str:
        """The verdict as one sentence."""
        names = {mark: [one.check.slug for one in self.having(mark)] for mark in Mark}
        if names[Mark.FAIL]:
            failed = f"{len(names[Mark.FAIL])} of {count(len(self.checked), 'check')} failed"
            return f"{failed} ({', '.join(names[Mark.FAIL])})"
        if names[Mark.WARN]:
            return f"{count(len(names[Mark.WARN]), 'warning')} ({', '.join(names[Mark.WARN])})"
        if not names[Mark.PASS]:
            return "no check could run"
        return count(len(names[Mark.PASS]), "check passed", "checks passed")
