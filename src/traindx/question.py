"""The types of a question put to a person, and of what an answer to it speaks for."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from traindx.cause import Cause
from traindx.complaint import Complaint
from traindx.errors import TraindxError
from traindx.fact import Fact, Scalar
from traindx.finding import Answer, CannotTell
from traindx.quantities import LEARNING_RATE
from traindx.run import Run
from traindx.series import Series
from traindx.sign import Sign

UNKNOWN = "unknown"
"""The answer of somebody who does not know; always accepted."""
_UNKNOWN = {
    "",
    "?",
    "unknown",
    "dont-know",
    "don't know",
    "dont know",
    "do not know",
    "no idea",
    "skip",
    "n/a",
}
_SIZES = {"k": 1e3, "m": 1e6, "b": 1e9}
_NUMBER = re.compile(r"([+-]?(?:\d[\d,_]*\.?\d*|\.\d+)(?:e[+-]?\d+)?)([kmb]?)", re.IGNORECASE)

Judge = Callable[[Run], Mapping[Sign, Answer]]
"""What facts that were told say about signs; the run holds them, beside all that was read."""


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


@dataclass(frozen=True)
class Field:
    """A fact that is told as a number or a word, and the names it goes by."""

    fact: Fact
    names: tuple[str, ...]
    words: tuple[str, ...] = ()
    """The words it may be; empty for a number."""
    most: float = float("inf")
    needed: bool = True
    """Whether it is asked for where it is not known; others may be told beside."""


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

    def __post_init__(self) -> None:
        """Refuse a question that has no answers, or two kinds of them."""
        if bool(self.choices) == bool(self.fields):
            raise ValueError(f"{self.slug} needs either choices or fields")
        if self.fields and (self.judge is None or not self.examples):
            raise ValueError(f"{self.slug} asks for facts and needs a judge and examples")

    @property
    def signs(self) -> frozenset[str]:
        """The signs that some choice answers, by slug."""
        return frozenset(sign.slug for one in self.choices for sign in (*one.seen, *one.unseen))

    @property
    def needed(self) -> tuple[Field, ...]:
        """The facts that it is asked for."""
        return tuple(one for one in self.fields if one.needed)

    @property
    def accepts(self) -> str:
        """What may be answered, in words."""
        if self.choices:
            return ", ".join([*(one.slug for one in self.choices), UNKNOWN])
        named = [
            f"{one.names[0]} ({', '.join(one.words)})" if one.words else one.names[0] for one in self.fields
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
        names = {one.fact: one.names[0] for one in self.question.fields}
        return " ".join(
            f"{names[fact]}={value:g}" if isinstance(value, float) else f"{names[fact]}={value}"
            for fact, value in self.facts.items()
        )

    @property
    def says(self) -> str:
        """The answer as a person reads it."""
        return self.choice.says if self.choice else self.slug if self.facts else "not known"


class BadAnswerError(TraindxError):
    """An answer that a question does not accept."""


def answer_to(question: Question, text: str) -> Told:
    """What a text answers; one that is no answer gives those that are."""
    typed = text.strip().lower()
    if typed in _UNKNOWN:
        return Told(question)
    if question.fields:
        return Told(question, facts=_facts(question, typed))
    found = [one for one in question.choices if typed == one.slug] or [
        one for one in question.choices if one.slug.startswith(typed)
    ]
    if len(found) != 1:
        raise BadAnswerError(f'{question.slug} is not "{text.strip()}"; it takes {question.accepts}')
    return Told(question, choice=found[0])


def told_field(question: Question, field: Field, text: str) -> Told:
    """The answer to one of the facts that a question asks for."""
    if text.strip().lower() in _UNKNOWN:
        return Told(question)
    return Told(question, facts={field.fact: _value(question, field, text.strip().lower())})


def _facts(question: Question, typed: str) -> dict[Fact, Scalar]:
    """Facts by name (`lr=0.1`, `lr 0.1`), else by kind and place."""
    facts: dict[Fact, Scalar] = {}
    named = {name: field for field in question.fields for name in field.names}
    words = [word for word in re.split(r"[\s=:;]+|,(?=\s)", typed) if word and word not in _FILLERS]
    while words:
        word = words.pop(0)
        if word in named and words:
            field, word = named[word], words.pop(0)
        else:
            field = _field_for(question, word, facts)
        facts[field.fact] = _value(question, field, word)
    return facts


_FILLERS = {"of", "at", "with", "and", "from", "samples", "parameters", "rate"}


def _field_for(question: Question, word: str, facts: Mapping[Fact, Scalar]) -> Field:
    """The first field that is still open and takes such a word."""
    is_number = _NUMBER.fullmatch(word) is not None
    for field in question.fields:
        if field.fact not in facts and is_number != bool(field.words):
            return field
    raise BadAnswerError(f'{question.slug} is not "{word}"; it takes {question.accepts}')


def _value(question: Question, field: Field, word: str) -> Scalar:
    if field.words:
        if word not in field.words:
            raise BadAnswerError(f'{field.names[0]} is not "{word}"; it is one of {", ".join(field.words)}')
        return word
    match = _NUMBER.fullmatch(word)
    value = (
        float(match[1].replace(",", "").replace("_", "")) * _SIZES.get(match[2].lower(), 1) if match else -1.0
    )
    if not 0 <= value <= field.most:
        least = f"a number from 0 to {field.most:g}" if field.most < float("inf") else "a number, 0 or above"
        raise BadAnswerError(f'{field.names[0]} is not "{word}"; it is {least}')
    return value


def by_signs(*signs: Sign) -> Judge:
    """A judge that asks signs of what was told, as it would of a run."""

    def judge(run: Run) -> dict[Sign, Answer]:
        asked = _with_rate(run)
        found = {sign: sign(asked) for sign in signs}
        return {sign: answer for sign, answer in found.items() if not isinstance(answer, CannotTell)}

    return judge


def _with_rate(run: Run) -> Run:
    """A run whose stated rate stands as a series where none was logged: signs look for its peak there."""
    from traindx.facts import LEARNING_RATE as STATED

    rate = run.facts.get(STATED)
    if LEARNING_RATE in run or not isinstance(rate, int | float):
        return run
    series = Series(LEARNING_RATE, np.array([0.0, 1.0]), np.array([rate, rate], dtype=float))
    return replace(run, series=(*run.series, series))
