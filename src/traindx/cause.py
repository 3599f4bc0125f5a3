"""The type of a root cause: knowledge as data."""

import re
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from traindx.finding import Sign
from traindx.run import Fact


class Symptom(Enum):
    """The complaints people come with; every cause says which of them it leads to."""

    NOT_LEARNING = "the loss does not move from the start"
    PLATEAU = "the loss fell, then stopped falling"
    SLOW = "the loss falls very slowly"
    UNSTABLE = "the loss swings, spikes or climbs"
    NOT_FINITE = "the loss becomes NaN or infinite"
    GRADIENTS_EXPLODE = "gradients become very large"
    GRADIENTS_VANISH = "gradients become very small"
    GENERALISES_BADLY = "training looks good, validation does not"
    TAKES_LONG = "steps take too long, or memory runs out"
    LYING_NUMBERS = "the numbers contradict each other or what the model does"
    CRASHES = "the program stops with an error"


class Safety(Enum):
    """Who may apply a fix."""

    SAFE = "safe"
    """It can be undone and harms nothing: a machine may apply it."""
    ASK = "ask"
    """It changes the result or the cost: a machine may apply it after consent."""
    MANUAL = "manual"
    """It needs a person's judgement or hand."""


@dataclass(frozen=True)
class Prescription:
    """A fix with a prediction: what to change, what will be seen then, and when it harms."""

    title: str
    """An order in one line: "Lower the learning rate ten times"."""
    expect: str
    """What the curve does if the fix is right; a trial checks it."""
    safety: Safety
    not_when: str
    """When this fix does harm or nothing."""
    code: str = ""
    """A few lines of PyTorch that show the change."""
    before: str = ""
    """The same lines as they are in a program that has the illness; the first fix of a cause shows them."""
    change: str | None = None
    """The change as a machine applies it, such as "optimizer.lr x 0.1"; None where only a person can.

    Where one is no fix without the other, both stand there with " + " between them.
    """


@dataclass(frozen=True)
class Experiment:
    """A short test that tells whether one cause is the true one."""

    does: str
    """What to do, as an order: "Repeat 200 steps with a ten times lower rate"."""
    if_true: str
    """What is seen if the cause is the true one."""
    if_false: str
    """What is seen if it is not."""
    minutes: float
    """Rough price, to choose the cheapest: 1 looks something up, 5 a short run, 60 a whole run."""


SECTIONS = ("What happens", "What you see", "Often confused with", "What not to do", "References")

_BULLET = re.compile(r"(?ms)^- (.*?)(?=^- |\Z)")

_RIVAL = re.compile(r"(?s)`([a-z-]+)`: (.*)")


class Kind(Enum):
    """Whether a cause says why a training fails, or only how."""

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
    """What people say who have this illness and blame something else."""

    says: str
    """In their words: "I need another optimizer"."""
    blames: str
    """What they hold for the cause: "the optimizer is wrong"."""


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
    """A root cause: what speaks for it, what cures it; its module's docstring is its page."""

    slug: str
    title: str
    """The illness, as in "the run suffers from ..."."""
    prior: float
    """Log odds against a healthy run before anything is known."""
    clues: tuple[Clue, ...]
    fixes: tuple[Prescription, ...]
    experiment: Experiment
    page: str | None
    kind: Kind = Kind.WHY
    acts_through: tuple[str, ...] = ()
    """Slugs of the mechanisms by which this root fails a training."""
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
            raise ValueError(f"a cause's slug is lower-case words and dashes, got {self.slug!r}")
        if not self.clues or not self.fixes:
            raise ValueError(f"{self.slug} needs clues and fixes")
        missing = [name for name in SECTIONS if f"## {name}" not in (self.page or "")]
        if missing:
            raise ValueError(f"{self.slug}: its page lacks {', '.join(missing)}")

    @cached_property
    def sections(self) -> dict[str, str]:
        """The page's text by heading."""
        parts = re.split(r"(?m)^## (.+)$", self.page or "")
        return {heading: text.strip() for heading, text in zip(parts[1::2], parts[2::2], strict=True)}

    @property
    def what_not_to_do(self) -> tuple[str, ...]:
        """The wrong treatments, one sentence each."""
        return _bullets(self.sections["What not to do"])

    @property
    def rivals(self) -> tuple[Rival, ...]:
        """What it is confused with: the bullets that begin with a cause's slug."""
        found = [_RIVAL.fullmatch(bullet) for bullet in _bullets(self.sections["Often confused with"])]
        return tuple(Rival(match[1], match[2]) for match in found if match)


def _bullets(text: str) -> tuple[str, ...]:
    return tuple(" ".join(match.split()) for match in _BULLET.findall(text))
