"""The type of a root cause: knowledge as data."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from traindx.finding import Finding, Sign
from traindx.objective import Area, Objective
from traindx.run import Fact, Run


class Symptom(Enum):
    """The complaints people come with; every cause lists those it leads to."""

    NOT_LEARNING = "loss is flat from the start"
    PLATEAU = "loss stops falling"
    SLOW = "loss falls very slowly"
    UNSTABLE = "loss oscillates, spikes or diverges"
    NOT_FINITE = "loss becomes NaN or infinite"
    GRADIENTS_EXPLODE = "gradients explode"
    GRADIENTS_VANISH = "gradients vanish"
    GENERALIZES_BADLY = "training is good, validation is not"
    TAKES_LONG = "training is too slow, or memory runs out"
    LYING_NUMBERS = "metrics contradict each other or the model's behavior"
    CRASHES = "the program stops with an error"


class Safety(Enum):
    """Who may apply a fix."""

    SAFE = "safe"
    """It can be undone and harms nothing: a machine may apply it."""
    ASK = "ask"
    """It changes the result or the cost: a machine may apply it after consent."""
    MANUAL = "manual"
    """It needs a person's judgment or hand."""


_CLEAR = 0.5
"""Strength from which on a finding excludes a fix: a validation loss 1% above its best does not."""


@dataclass(frozen=True)
class Prescription:
    """A fix with a prediction: what to change, what will be seen then, and when it harms."""

    title: str
    """An order in one line: "Divide the learning rate by 10"."""
    expect: str
    """What the curve does if the fix is right; a trial checks it."""
    safety: Safety
    not_when: str
    """When this fix does harm or nothing."""
    code: str = ""
    """A few lines of PyTorch that show the change."""
    before: str = ""
    """The same lines as they are in a program that has the bug; the first fix of a cause shows them."""
    change: str | None = None
    """The change as a machine applies it, such as "optimizer.lr x 0.1"; None where only a person can.

    Where one is no fix without the other, both stand there with " + " between them.
    """
    unless: tuple[Callable[[Run], object], ...] = ()
    """`not_when` for machines: signs, or functions of a run; if one says yes, the fix is not offered."""

    def suits(self, run: Run) -> bool:
        """Whether nothing in a run clearly excludes the fix."""
        answers = [condition(run) for condition in self.unless]
        return not any(
            answer.strength >= _CLEAR if isinstance(answer, Finding) else answer is True for answer in answers
        )


@dataclass(frozen=True)
class Experiment:
    """A short test of whether one cause is the true one."""

    does: str
    """What to do, as an order: "Repeat 200 steps with the learning rate divided by 10"."""
    if_true: str
    """What is seen if the cause is the true one."""
    if_false: str
    """What is seen if it is not."""
    steps: float
    """Optimizer steps it takes, to choose the cheapest: 0 to look something up, or `WHOLE_RUN`."""


WHOLE_RUN = math.inf


SECTIONS = ("What happens", "What you see", "Often confused with", "What not to do", "References")

_BULLET = re.compile(r"(?ms)^- (.*?)(?=^- |\Z)")

_RIVAL = re.compile(r"(?s)`([a-z-]+)`: (.*)")


class Kind(Enum):
    """Whether a cause is why a training run fails, or only how."""

    WHY = "why"
    """A root: something a person chose, wrote or fed in."""
    HOW = "how"
    """A mechanism: it has a root of its own, which may not be known."""


@dataclass(frozen=True)
class Clue:
    """What one sign's answer adds to a cause's score, in units of log odds."""

    sign: Sign
    seen: float
    """Points for yes, scaled by the finding's strength."""
    unseen: float = 0.0
    """Points for no; cannot tell counts neither way."""
    group: str = ""
    """Clues of one group say the same thing twice: only the one with most points counts."""


@dataclass(frozen=True)
class Misdiagnosis:
    """What people say who have this bug and blame something else."""

    says: str
    """In their words: "I need another optimizer"."""
    blames: str
    """What they take for the cause: "the optimizer is wrong"."""


@dataclass(frozen=True)
class Rival:
    """A cause this one is confused with, and the observation that separates them."""

    slug: str
    told_apart_by: str


class Tool(Enum):
    """A command of traindx that looks for some causes in particular."""

    LR_FIND = "lr-find"
    EXAMINE_DATA = "examine data"
    EXAMINE_GRADIENTS = "examine gradients"


@dataclass(frozen=True, eq=False)
class Cause:
    """A root cause: its evidence and its fixes; its module's docstring is its page."""

    slug: str
    title: str
    """The bug, in sentence case: "Learning rate too high"."""
    prior: float
    """Prior log-odds against a healthy run."""
    clues: tuple[Clue, ...]
    fixes: tuple[Prescription, ...]
    experiment: Experiment
    page: str | None
    area: Area | None = None
    """What it is about; None for one that is asked about whatever is trained."""
    not_for: tuple[Objective, ...] = ()
    """Objectives of which it is not asked, though its area is."""
    kind: Kind = Kind.WHY
    acts_through: tuple[str, ...] = ()
    """Slugs of the mechanisms through which this root acts."""
    symptoms: tuple[Symptom, ...] = ()
    """The complaints it leads to, the commonest first."""
    misdiagnoses: tuple[Misdiagnosis, ...] = ()
    """What it is commonly taken for."""
    places: tuple[Fact, ...] = ()
    """Facts that name the line to change, the best first."""
    looked_for_by: Tool | None = None
    """The command that finds it where a recording does not."""

    def __post_init__(self) -> None:
        """Refuse a cause without clues, fixes or one of the sections of its page."""
        if not re.fullmatch(r"[a-z]+(-[a-z]+)*", self.slug):
            raise ValueError(f"the slug of a cause is lowercase words and dashes, got {self.slug!r}")
        if not self.clues or not self.fixes:
            raise ValueError(f"{self.slug} needs clues and fixes")
        missing = [name for name in SECTIONS if f"## {name}" not in (self.page or "")]
        if missing:
            raise ValueError(f"{self.slug}: the page has no section {', '.join(missing)}")

    def concerns(self, objective: Objective) -> bool:
        """Whether its evidence means in this kind of training what it means elsewhere."""
        return self.area not in objective.off and objective not in self.not_for

    @cached_property
    def sections(self) -> dict[str, str]:
        """The page's text by heading."""
        parts = re.split(r"(?m)^## (.+)$", self.page or "")
        return {heading: text.strip() for heading, text in zip(parts[1::2], parts[2::2], strict=True)}

    @property
    def definition(self) -> str:
        """The cause in one sentence: what its page says between its title and its first heading."""
        opening = (self.page or "").partition("\n## ")[0].partition("\n")[2]
        return " ".join(opening.split())

    @property
    def what_not_to_do(self) -> tuple[str, ...]:
        """The wrong fixes, one sentence each."""
        return _bullets(self.sections["What not to do"])

    @property
    def donts(self) -> tuple[str, ...]:
        """The wrong treatments without their reasons: what the bullets of the page say before the colon."""
        return tuple(bullet.partition(": ")[0].removesuffix(".") for bullet in self.what_not_to_do)

    @property
    def rivals(self) -> tuple[Rival, ...]:
        """What it is confused with: the bullets that begin with a cause's slug."""
        matches = [_RIVAL.fullmatch(bullet) for bullet in _bullets(self.sections["Often confused with"])]
        return tuple(Rival(match[1], match[2]) for match in matches if match)


def _bullets(text: str) -> tuple[str, ...]:
    return tuple(" ".join(match.split()) for match in _BULLET.findall(text))
