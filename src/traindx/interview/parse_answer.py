"""What is typed as an answer: a choice by its name, or facts by name, kind and position."""

import re
from collections.abc import Mapping

from traindx.errors import TraindxError
from traindx.interview.questions.types import Choice, Field, Question, Told
from traindx.run import Fact, Scalar

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
_LEAST = 3
"""Letters that begin an answer: fewer, such as "n" or "no", may be meant as another one."""
_FILLERS = {"of", "at", "with", "and", "from"}
_SIZES = {"k": 1e3, "m": 1e6, "b": 1e9}
_NUMBER = re.compile(r"([+-]?(?:\d[\d,]*\.?\d*|\.\d+)(?:e[+-]?\d+)?)([kmb]?)")


class BadAnswerError(TraindxError):
    """An answer that a question does not accept."""


def answer_to(question: Question, text: str) -> Told:
    """The answer in a text; a text that is none raises an error with the accepted ones."""
    typed = text.strip().lower()
    if typed in _UNKNOWN:
        return Told(question)
    if question.fields:
        return Told(question, facts=_facts(question, text.strip()))
    choices = _choices(question, typed)
    if len(choices) != 1:
        raise _refused(question, text.strip())
    return Told(question, choice=choices[0])


def _choices(question: Question, typed: str) -> list[Choice]:
    """The choices of this name; else those whose name begins so; else those whose words do."""
    named = [choice for choice in question.choices if typed in (*choice.slugs, choice.says.lower())]
    if named or len(typed) < _LEAST:
        return named
    begun = [choice for choice in question.choices if choice.slug.startswith(typed)]
    return begun or [choice for choice in question.choices if choice.says.lower().startswith(typed)]


def _refused(question: Question, text: str) -> BadAnswerError:
    return BadAnswerError(f'"{text}" does not answer {question.slug}; use {question.accepts}')


def told_field(question: Question, field: Field, text: str) -> Told:
    """The answer to one of the facts that a question asks for."""
    if text.strip().lower() in _UNKNOWN:
        return Told(question)
    return Told(question, facts={field.fact: _value(field, text.strip())})


def _facts(question: Question, typed: str) -> dict[Fact, Scalar]:
    """Facts by name (`lr=0.1`, `lr 0.1`), else by kind and position."""
    facts: dict[Fact, Scalar] = {}
    named = {name: field for field in question.fields for name in field.names}
    words = [word for word in re.split(r"[\s=:;]+|,(?=\s)", typed) if word and word.lower() not in _FILLERS]
    while words:
        word = words.pop(0)
        if word.lower() not in named:
            field = _field_for(question, word, facts)
            facts[field.fact] = _value(field, word)
        elif words:
            field = named[word.lower()]
            facts[field.fact] = _value(field, words.pop(0))
    return facts


def _field_for(question: Question, word: str, facts: Mapping[Fact, Scalar]) -> Field:
    """The first field that is still open and takes such a word."""
    is_number = _NUMBER.fullmatch(word.lower()) is not None
    for field in question.fields:
        if field.fact not in facts and is_number != bool(field.words):
            return field
    raise _refused(question, word)


def _value(field: Field, word: str) -> Scalar:
    if field.words:
        if word.lower() not in field.words:
            raise BadAnswerError(f'{field.names[0]} cannot be "{word}"; use {", ".join(field.words)}')
        return word.lower()
    match = _NUMBER.fullmatch(word.lower())
    value = float(match[1].replace(",", "")) * _SIZES.get(match[2], 1.0) if match else -1.0
    if not 0 <= value <= field.most:
        raise BadAnswerError(f'{field.names[0]} cannot be "{word}"; use a number from 0 to {field.most:,.0f}')
    return value
