"""What is worth a line while a training runs: what its diagnosis is sure of twice in a row, once."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from traindx.curves.timing import pace
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.finding import Severity
from traindx.format import percent, step
from traindx.report.results.diagnosis import since
from traindx.run import Run
from traindx.trials.types import Report

_SURE = 0.8
_MOST = 5
"""Lines in a run: who has read five knows that something is wrong."""
_TODO = "Ctrl-C stops it, the report follows at the end"

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class Met:
    """A condition that holds of a run."""

    step: str
    condition: str
    """As it was typed: "--fail-on sick:0.9"."""
    sureness: str

    @property
    def now(self) -> str:
        """What is said when the program is about to be stopped."""
        return f"step {self.step}: {self.condition} is met ({self.sureness}); the program is being stopped"

    @property
    def afterwards(self) -> str:
        """What is said when it has ended."""
        return f"stopped at step {self.step}: {self.condition} was met ({self.sureness})"


class Repeated(Generic[K]):
    """Lets through what held at the look before as well: one look may fall on an odd moment."""

    def __init__(self) -> None:
        self._before: frozenset[K] = frozenset()

    def again(self, now: Mapping[K, str]) -> dict[K, str]:
        """Of what holds now, that which held before."""
        found = {key: says for key, says in now.items() if key in self._before}
        self._before = frozenset(now)
        return found


class Alarms:
    """The lines of one run of a program."""

    def __init__(self) -> None:
        self._repeated: Repeated[tuple[str, str]] = Repeated()
        self._said: set[str] = set()

    def lines(self, report: Report) -> list[str]:
        """What to say after a look: each cause once, whichever of several trainings suffers from it."""
        lines = []
        for (_, slug), says in self._repeated.again(_serious(report)).items():
            if slug not in self._said and len(self._said) < _MOST:
                self._said.add(slug)
                lines.append(says)
        return lines


def reached(run: Run) -> str:
    """The step that a recorded training has come to."""
    recorded = pace(run)
    return step(recorded.steps if recorded else 0.0)


def _serious(report: Report) -> dict[tuple[str, str], str]:
    pairs = zip(report.runs, report.diagnoses, strict=True)
    return {
        (run.name, diagnosis.suspects[0].cause.slug): _line(run, diagnosis)
        for run, diagnosis in pairs
        if is_serious(diagnosis)
    }


def is_serious(diagnosis: Diagnosis) -> bool:
    """Whether a diagnosis is worth a line: sick, sure of one cause, and that one does harm."""
    return (
        diagnosis.verdict is Verdict.SICK
        and diagnosis.suspects[0].confidence >= _SURE
        and diagnosis.severity.rank >= Severity.SERIOUS.rank
    )


def _line(run: Run, diagnosis: Diagnosis) -> str:
    first = diagnosis.suspects[0]
    begin = since(first)
    place = f" since {begin.axis.value} {step(begin.steps[0])}" if begin else ""
    what = f"{_within_a_sentence(first.cause.title)} ({first.cause.slug}, {percent(first.confidence)})"
    return f"step {reached(run)}: {what}{place}; {_TODO}"


def _within_a_sentence(title: str) -> str:
    """A title without its capital, unless that belongs to a name such as ReLU."""
    is_name = any(letter.isupper() for letter in title.split(" ")[0][1:])
    return title if is_name else f"{title[:1].lower()}{title[1:]}"
