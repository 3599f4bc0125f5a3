"""The types of a question put to a person, and of what an answer to it supports."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from traindx.cause import Cause, Symptom
from traindx.facts import LEARNING_RATE as STATED_RATE
from traindx.finding import Answer, CannotTell, Sign
from traindx.format import number
from traindx.quantities import LEARNING_RATE
from traindx.run import Fact, Run, Scalar, Series

UNKNOWN = "unknown"
"""The answer of somebody who does not know; always accepted."""

Judge = Callable[[Run], Mapping[Sign, Answer]]
"""What facts that were told say about signs; the run holds them, beside all that was read."""


def by_signs(*signs: Sign) -> Judge:
    """A judge that asks signs of what was told, as it would of a run."""

    def judge(run: Run) -> dict[Sign, Answer]:
        asked = with_rate(run)
        answers = {sign: sign(asked) for sign in signs}
        return {sign: answer for sign, answer in answers.items() if not isinstance(answer, CannotTell)}

    return judge


def with_rate(run: Run) -> Run:
    """A run whose stated rate stands as a series where none was logged: signs look for its peak there."""
    rate = run.facts.get(STATED_RATE)
    if LEARNING_RATE in run or not isinstance(rate, int | float):
        return run
    series = Series(LEARNING_RATE, np.array([0.0, 1.0]), np.array([rate, rate], dtype=float))
    return replace(run, series=(*run.series, series))


@dataclass(frozen=True, eq=False)
class Complaint:
    """One entry of the list that an interview begins with; every one is declared in `complaints`."""

    slug: str
    says: str
    """As a person would put it: "the loss becomes NaN or infinite"."""
    words: re.Pattern[str]
    """What people write who mean it."""
    symptoms: tuple[Symptom, ...]
    """What the causes behind it say of themselves."""
    seen: tuple[Sign, ...] = ()
    """Signs that the complaint itself answers with yes."""
    unseen: tuple[Sign, ...] = ()


@dataclass(frozen=True, eq=False)
class Choice:
    """One answer that may be chosen, and the signs it answers with yes and no."""

    slug: str
    says: str
    seen: tuple[Sign, ...] = ()
    unseen: tuple[Sign, ...] = ()
    speaks: tuple[tuple[Cause, float], ...] = ()
    """Points for causes, where no sign of a run asks what a person can see with bare eyes."""
    fault: bool = False
    """Whether few programs are like this: the question promises less until something hints at it."""
    formerly: str = ""
    """The slug it had in earlier versions, which is still understood."""

    @property
    def slugs(self) -> tuple[str, ...]:
        """What may be typed for it."""
        return _slugs(self.slug, self.formerly)


def _slugs(slug: str, formerly: str) -> tuple[str, ...]:
    return (slug, formerly) if formerly else (slug,)


@dataclass(frozen=True)
class Plausible:
    """Between which values a fact is plausible: beyond them it may be a slip, and is asked for again."""

    low: float
    high: float
    of: str = ""
    """What the bounds belong to, such as an optimizer; empty if they hold for everything."""

    def doubts(self, value: float) -> str:
        """Why a value may be a slip; empty if it is plausible."""
        if self.low <= value <= self.high:
            return ""
        return f"unusually {'high' if value > self.high else 'low'}{f' for {self.of}' if self.of else ''}"


Bounds = Callable[[Mapping[Fact, Scalar]], Plausible]
"""From all facts that are known to the plausible values of one of them."""


def between(low: float, high: float) -> Bounds:
    """Bounds that depend on nothing."""
    return lambda _: Plausible(low, high)


@dataclass(frozen=True)
class Field:
    """A fact that is told as a number or a word, and the names it goes by."""

    fact: Fact
    names: tuple[str, ...]
    words: tuple[str, ...] = ()
    """The words it may be; empty for a number."""
    most: float = 1e15
    needed: bool = True
    """Whether it is asked for if it is not known; others may be told along with it."""
    plausible: Bounds | None = None
    """None for words."""


@dataclass(frozen=True, eq=False)
class Question:
    """One thing to ask: by choices, or for facts."""

    slug: str
    asks: str
    look: str
    """How to find out, in one sentence."""
    complaints: tuple[Complaint, ...]
    """Those it is asked for."""
    choices: tuple[Choice, ...] = ()
    fields: tuple[Field, ...] = ()
    judge: Judge | None = None
    """For facts: what they say about signs."""
    examples: tuple[tuple[str, float], ...] = ()
    """For facts: what people may say, and how often; decides how promising the question is."""
    first: tuple[Complaint, ...] = ()
    """Complaints of which it asks what they look like: then it comes before all that ask for a cause."""
    known: float = 1.0
    """How many of those who are asked can tell without looking it up first."""
    formerly: str = ""
    """The slug it had in earlier versions, which is still understood."""

    def __post_init__(self) -> None:
        """Refuse a question that has no answers, or two kinds of them."""
        if bool(self.choices) == bool(self.fields):
            raise ValueError(f"{self.slug} needs either choices or fields")
        if self.fields and (self.judge is None or not self.examples):
            raise ValueError(f"{self.slug} asks for facts and needs a judge and examples")

    @property
    def slugs(self) -> tuple[str, ...]:
        """What may be typed for it."""
        return _slugs(self.slug, self.formerly)

    @property
    def signs(self) -> frozenset[str]:
        """The signs that some choice answers, by slug."""
        return frozenset(sign.slug for choice in self.choices for sign in (*choice.seen, *choice.unseen))

    @property
    def needed(self) -> tuple[Field, ...]:
        """The facts that it is asked for."""
        return tuple(field for field in self.fields if field.needed)

    @property
    def accepts(self) -> str:
        """What may be answered, in words."""
        if self.choices:
            return ", ".join([*(choice.slug for choice in self.choices), UNKNOWN])
        named = [
            f"{field.names[0]} ({', '.join(field.words)})" if field.words else field.names[0]
            for field in self.fields
        ]
        return f'{" and ".join(named)}, such as "{self.examples[0][0]}", or {UNKNOWN}'


@dataclass(frozen=True, eq=False)
class Told:
    """A question and its answer; neither choice nor facts where the person does not know."""

    question: Question
    choice: Choice | None = None
    facts: Mapping[Fact, Scalar] | None = None

    @property
    def is_known(self) -> bool:
        """Whether anything was told."""
        return self.choice is not None or bool(self.facts)

    @property
    def slug(self) -> str:
        """The answer as it is typed."""
        if self.choice:
            return self.choice.slug
        if not self.facts:
            return UNKNOWN
        names = {field.fact: field.names[0] for field in self.question.fields}
        return " ".join(
            f"{names[fact]}={value:g}" if isinstance(value, float) else f"{names[fact]}={value}"
            for fact, value in self.facts.items()
        )

    @property
    def says(self) -> str:
        """The answer as a person reads it."""
        if self.choice:
            return self.choice.says
        named = [f"{fact.called} {_shown(value)}" for fact, value in (self.facts or {}).items()]
        return ", ".join(named) or "not known"

    def doubts(self, known: Mapping[Fact, Scalar]) -> str:
        """Why one of the values may be a slip, given all facts that are known; empty if none is."""
        facts = self.facts or {}
        everything = {**known, **facts}
        for field in self.question.fields:
            value = facts.get(field.fact)
            if field.plausible and isinstance(value, int | float):
                doubt = field.plausible(everything).doubts(value)
                if doubt:
                    return doubt
        return ""


def _shown(value: Scalar) -> str:
    if not isinstance(value, float):
        return str(value)
    return f"{int(value):,}" if value == int(value) else number(value)
