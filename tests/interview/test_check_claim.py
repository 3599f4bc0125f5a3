"""Claims against evidence."""

import pytest

from traindx.diagnosis import knowledge
from traindx.interview.answers import questions, rank
from traindx.interview.check_claim import check
from traindx.interview.claims import CLAIMS, claims_in
from traindx.interview.complaints import COMPLAINTS, complaints_in
from traindx.interview.parse_answer import answer_to
from traindx.interview.types import Claim, Interview, Stand

QUESTIONS = {question.slug: question for question in questions()}


def after(complaint: str, **answers: str) -> Interview:
    interview = Interview((COMPLAINTS[complaint],))
    for slug, answer in answers.items():
        interview = interview.after(answer_to(QUESTIONS[slug], answer))
    return interview


def stand(claim: str, interview: Interview) -> Stand:
    return check(CLAIMS[claim], interview, rank(interview)).stand


def test_what_causes_call_a_misdiagnosis_can_be_checked() -> None:
    for cause in knowledge.causes():
        for mistaken in cause.misdiagnoses:
            assert claims_in(mistaken.says) or complaints_in(mistaken.says), mistaken.says


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=lambda each: each.slug)
def test_a_claim_recognizes_its_own_words_and_nothing_holds_without_evidence(claim: Claim) -> None:
    assert claim.slug in [other.slug for other in claims_in(claim.says)]
    assert claim.reply.endswith(".")
    checked = check(claim, Interview(), rank(Interview()))
    assert checked.stand is (Stand.BESIDE if claim.is_pressure else Stand.OPEN)
    assert bool(checked.changes_mind) == bool(claim.right_if)


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        ("just tell me which optimizer", "another-optimizer"),
        ("maybe I should switch to SGD", "another-optimizer"),
        ("it has to train longer", "more-epochs"),
        ("I need a bigger model", "model-too-small"),
        ("I just need to tune the LR", "tune-rate"),
        ("demo tomorrow, need a quick fix", "hurry"),
        ("let me run a random search", "tune-hyperparameters"),
        ("the batch is too small", "batch-too-small"),
    ],
)
def test_words_are_recognized(words: str, slug: str) -> None:
    assert slug in [claim.slug for claim in claims_in(words)]


def test_the_same_claim_holds_and_fails_by_the_evidence() -> None:
    short = after("loss-slow", length="short", setup="adam 1e-3", inputs="scaled", activation="relu")
    assert stand("more-epochs", short) is Stand.HOLDS
    assert stand("more-epochs", after("overfitting", validation="turns-up")) is Stand.FAILS
    assert stand("rate-too-low", after("loss-slow", setup="adam 1e-6")) is Stand.HOLDS
    assert stand("rate-too-high", after("loss-slow", setup="adam 1e-6")) is Stand.FAILS
    assert stand("overfits", after("overfitting", modes="validated-in-train")) is Stand.FAILS


def test_an_answer_says_what_speaks_for_what_and_what_would_change_it() -> None:
    interview = after("loss-slow", setup="adam 1e-6")
    checked = check(CLAIMS["model-too-small"], interview, rank(interview))
    assert checked.stand is Stand.FAILS
    assert checked.says.startswith("No, the evidence does not support it")
    assert "Learning rate too low" in checked.says
    assert any("adam learning rate never exceeds 1e-6" in sentence for sentence in checked.because)
    assert "lr-too-low" in [cause.slug for cause in checked.usually]
    assert checked.changes_mind[0].startswith("Double the width")
