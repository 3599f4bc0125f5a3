"""What people type, and what it means."""

import pytest

from traindx.facts import (
    BATCH_SIZE,
    LEARNING_RATE,
    MOMENTUM,
    OPTIMIZER,
    PARAMETERS,
    TRAINING_SAMPLES,
    WEIGHT_DECAY,
)
from traindx.interview.answers import questions
from traindx.interview.parse_answer import BadAnswerError, answer_to
from traindx.interview.session import named_answer
from traindx.run import Fact, Scalar

QUESTIONS = {question.slug: question for question in questions()}


@pytest.mark.parametrize(
    ("slug", "typed", "facts"),
    [
        ("setup", "Adam 3e-4", {OPTIMIZER: "adam", LEARNING_RATE: 3e-4}),
        ("setup", "lr=.1, optimizer=SGD", {LEARNING_RATE: 0.1, OPTIMIZER: "sgd"}),
        ("setup", "sgd at 0.1 with momentum 0.9", {OPTIMIZER: "sgd", LEARNING_RATE: 0.1, MOMENTUM: 0.9}),
        ("setup", "adamw 1e-3 wd 0.01", {OPTIMIZER: "adamw", LEARNING_RATE: 1e-3, WEIGHT_DECAY: 0.01}),
        ("batch", "64 of 50,000 samples", {BATCH_SIZE: 64, TRAINING_SAMPLES: 50000}),
        ("batch", "samples 5000", {TRAINING_SAMPLES: 5000}),
        ("size", "11M 60k", {PARAMETERS: 11e6, TRAINING_SAMPLES: 60e3}),
    ],
)
def test_facts_are_read_by_name_by_kind_and_by_place(
    slug: str, typed: str, facts: dict[Fact, Scalar]
) -> None:
    assert answer_to(QUESTIONS[slug], typed).facts == facts


@pytest.mark.parametrize("typed", ["", "  ", "?", "unknown", "I don't know"[2:], "SKIP"])
def test_not_knowing_is_an_answer(typed: str) -> None:
    for question in QUESTIONS.values():
        assert not answer_to(question, typed).is_known


@pytest.mark.parametrize(
    ("slug", "typed"),
    [
        ("setup", "adam fast"),
        ("setup", "adam 1 2 3 4 5"),
        ("setup", "adam -1"),
        ("batch", "1e999 of 3"),
        ("batch", "a few"),
        ("onset", "s t"),
        ("validation", "n"),
        ("moving", "n"),
        ("activation", "no"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_can(slug: str, typed: str) -> None:
    with pytest.raises(BadAnswerError, match=r"; use "):
        answer_to(QUESTIONS[slug], typed)


@pytest.mark.parametrize(
    ("typed", "says", "doubt"),
    [
        ("setup=adam 3e-4", "optimizer adam, learning rate 0.0003", ""),
        ("setup=adam 5e-5", "optimizer adam, learning rate 5e-5", ""),
        ("setup=Adam 1", "optimizer adam, learning rate 1", "unusually high for Adam"),
        ("setup=adam 1e-9", "optimizer adam, learning rate 1e-9", "unusually low for Adam"),
        ("setup=1", "learning rate 1", "unusually high"),
        ("setup=sgd 1", "optimizer sgd, learning rate 1", ""),
        ("batch=50000 of 64", "batch size 50,000, training samples 64", "unusually high for 64 samples"),
        ("size=1", "parameters 1", "unusually low"),
    ],
)
def test_values_are_echoed_and_doubted_far_outside_of_what_is_typical(
    typed: str, says: str, doubt: str
) -> None:
    answer = named_answer(typed)
    assert (answer.says, answer.doubts({})) == (says, doubt)


def test_the_optimizer_that_is_known_decides_what_is_unusual() -> None:
    assert named_answer("lr=0.3").doubts({}) == ""
    assert named_answer("lr=0.3").doubts({OPTIMIZER: "adamw"}) == "unusually high for AdamW"


def test_what_was_typed_is_quoted_as_it_was_typed() -> None:
    with pytest.raises(BadAnswerError, match='"FAST"'):
        named_answer("setup=Adam FAST")


def test_the_beginning_of_a_word_is_enough() -> None:
    answer = answer_to(QUESTIONS["onset"], "Sud")
    assert answer.slug == "sudden"


def test_an_answer_may_be_typed_as_it_is_shown() -> None:
    for question in QUESTIONS.values():
        for choice in question.choices:
            assert answer_to(question, choice.says).choice is choice


def test_arguments_name_questions_or_facts() -> None:
    assert named_answer("onset=sudden").slug == "sudden"
    assert named_answer("LR=0.1").facts == {LEARNING_RATE: 0.1}
    assert named_answer("setup=adam 0.1").facts == {OPTIMIZER: "adam", LEARNING_RATE: 0.1}
    assert not named_answer("lr=unknown").is_known
