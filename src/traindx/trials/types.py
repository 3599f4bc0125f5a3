"""The types of trials and of their report."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from traindx.changes.types import ChangeSpec, Measure, name_of
from traindx.comparison.types import Comparison
from traindx.diagnosis.types import Diagnosis
from traindx.errors import UnreadableError
from traindx.run import Run

Progress = Callable[[str], None]
"""Is told one line at a time."""
PROMISING = 0.08
"""Better by this share with the first seed: worth the other seeds."""


@dataclass(frozen=True)
class TrialRun:
    """A run of the program that a treatment begins."""

    number: int
    """Counted from 1."""
    ordered: int
    """How many are decided on so far; more may follow from what they show."""
    label: str
    """The change it has, or "control"."""
    seed: int
    steps: int
    seconds: float
    """What the first run took."""
    folder: Path
    """Where its recording grows."""


class Watcher:
    """Hears what a treatment does while it does it; the methods are called from several threads."""

    def diagnosed(self, run: Run, diagnosis: Diagnosis) -> None:
        """The program is diagnosed, and trials follow."""

    def begins(self, trial_run: TrialRun) -> None:
        """A trial run begins."""

    def ends(self, trial_run: TrialRun, seconds: float, *, is_reused: bool) -> None:
        """A trial run has ended after so many seconds, or one of an earlier treatment was taken for it."""


class Outcome(Enum):
    """What a trial says of a change."""

    HELPED = "helped"
    NO_DIFFERENCE = "no difference"
    WORSE = "worse"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Arm:
    """One run of the program in a trial."""

    seed: int
    """0 for the seeds of the program itself, else what is added to them."""
    changes: tuple[ChangeSpec, ...]
    """Empty for the control arm."""
    folder: str
    """Where its recording is."""
    value: float | None
    """What it is compared by; None where it could not be measured, infinite where it broke."""
    curve: tuple[tuple[float, float], ...] = ()
    """Steps and values of what it is compared by, for pictures."""
    steps: int = 0
    problem: str = ""
    """Why it is set aside; empty where it counts."""
    refused: str = ""
    """Why the change could not be applied to this program."""
    metric: float | None = None
    """The accuracy at its end, where the program shows one."""
    metrics: tuple[tuple[float, float], ...] = ()
    """The same over steps, for pictures."""
    loss: float | None = None
    """The training loss at its end, whatever it is compared by."""
    start: float | None = None
    """The same before anything was learned."""
    chance: float | None = None
    """The same of the best constant prediction, where the run tells."""


@dataclass(frozen=True)
class Pair:
    """A control arm and a treated arm of the same seed."""

    control: Arm
    treated: Arm


@dataclass(frozen=True)
class Trial:
    """A change, what it was compared by, and what came out."""

    changes: tuple[ChangeSpec, ...]
    """Usually one; several where they were tried together."""
    cause: str
    """The slug of the cause it is meant for; empty where the user asked for it."""
    title: str
    """The prescription as an order."""
    measure: Measure
    pairs: tuple[Pair, ...]
    effect: float | None
    """The mean difference, treated minus control; None where no pair counts or an arm ends in no number."""
    interval: tuple[float, float] | None
    """95%, over the pairs; None with a single pair."""
    outcome: Outcome
    says: str
    """Why the outcome is what it is, in a sentence."""
    gain: float | None = None
    """How much better the treated arms are, as a share of the larger of both: from -1 to 1."""
    gain_interval: tuple[float, float] | None = None
    """95%, over the pairs; the outcome follows from it."""
    healthy_after: float | None = None
    """How likely the first treated run is healthy, by its own diagnosis; None where it did not help."""
    confidence: float = 0.0
    """Of the causes it is meant for, by the diagnosis before the trials."""
    is_written: bool = False
    """Whether it can be written as a patch."""

    @property
    def name(self) -> str:
        """The changes as text."""
        return name_of(self.changes)

    @property
    def counted(self) -> tuple[Pair, ...]:
        """The pairs whose arms were both measured: the effect is theirs."""
        return counted_pairs(self.pairs)

    @property
    def metrics(self) -> tuple[float, float] | None:
        """The mean accuracy of control arms and of treated ones, where all end and tell theirs."""
        # A program that crashed did not come to the step where the accuracy of the other one counts.
        arms = [(pair.control, pair.treated) for pair in self.counted]
        both = [(value.metric, other.metric) for value, other in arms if not (value.problem or other.problem)]
        known = [(value, other) for value, other in both if value is not None and other is not None]
        if not known or len(known) < len(both):
            return None
        return sum(value for value, _ in known) / len(both), sum(other for _, other in known) / len(both)

    @property
    def control(self) -> float | None:
        """The mean of the control arms that count; of all that were measured where no pair counts."""
        return _mean([pair.control.value for pair in self.counted or self.pairs])

    @property
    def treated(self) -> float | None:
        """The mean of the treated arms that count."""
        return _mean([pair.treated.value for pair in self.counted or self.pairs])


def counted_pairs(pairs: Iterable[Pair]) -> tuple[Pair, ...]:
    """Those whose arms were both measured."""
    return tuple(pair for pair in pairs if pair.control.value is not None and pair.treated.value is not None)


def _mean(values: "list[float | None]") -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


@dataclass(frozen=True)
class Candidate:
    """A change that may be tried, and why in this place."""

    changes: tuple[ChangeSpec, ...]
    cause: str
    title: str
    measure: Measure
    worth: float
    """How promising it is: the confidence in its cause, less for later fixes, and by what past cases say."""
    because: str = ""
    """What past cases say about it."""
    confidence: float = 0.0
    """Of the causes it is meant for."""
    is_written: bool = False
    """Whether it can be written as a patch."""


@dataclass(frozen=True)
class Treatment:
    """All that was tried on one program."""

    trials: tuple[Trial, ...]
    best: Trial | None
    """The trial that is a proven win; None where there is none."""
    patch: str = ""
    """A unified diff of the program's source that does the same; empty where there is none."""
    patch_says: str = ""
    """What the patch changes, in one line; without a patch, why there is none."""
    patch_verified: bool | None = None
    """Whether the patched program reproduced the effect; None where it was not run."""
    untried: tuple[Candidate, ...] = ()
    """What was planned and not tried."""
    notes: tuple[str, ...] = ()
    why_untried: str = ""
    """Why the search ended before all that was planned was tried, or what was tried was proven."""
    command: str = ""
    """The command with the fix, where that is what the patch changes."""


@dataclass(frozen=True)
class Report:
    """Runs, what is known about them, what could not be read on the way, and how many files were no logs."""

    runs: tuple[Run, ...]
    problems: tuple[UnreadableError, ...] = ()
    other_files: int = 0
    diagnoses: tuple[Diagnosis, ...] = ()
    """One for each run, in the same order; empty when the runs were only read."""
    comparison: Comparison | None = None
    treatment: Treatment | None = None
    """What was tried on the program of the first run; None where nothing was."""

    def __post_init__(self) -> None:
        """Refuse diagnoses that do not belong to the runs."""
        if self.diagnoses and len(self.diagnoses) != len(self.runs):
            raise ValueError(f"{len(self.diagnoses)} diagnoses for {len(self.runs)} runs")


@dataclass(frozen=True)
class Case:
    """One trial of a change; or a diagnosis after which nothing was tried."""

    when: str
    """In UTC, as ISO 8601 to the second: texts in this form sort by time."""
    project: str
    """The name of the project's folder."""
    command: str
    run: str
    verdict: str
    suspect: str
    """The slug of the first suspect; empty where there was none."""
    confidence: float | None
    """Of the first suspect."""
    change: str = ""
    """Empty where nothing was tried."""
    cause: str = ""
    """The slug of the cause the change was for."""
    title: str = ""
    """The prescription as an order."""
    measure: str = ""
    control: float | None = None
    """Infinite where arms broke."""
    treated: float | None = None
    effect: float | None = None
    low: float | None = None
    """Where the interval of the effect begins."""
    high: float | None = None
    """Where it ends."""
    outcome: str = ""
    says: str = ""
    """Why the outcome is what it is."""
    seeds: int = 0
    """How many pairs count."""
    proven: bool = False
    """Whether it is the change that the treatment settled on."""
    patch_applied: bool = False
