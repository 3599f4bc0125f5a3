"""What every question on the shelf has in common."""

import pytest

from traindx.interview.answers import next_question, questions, rank
from traindx.interview.complaints import COMPLAINTS
from traindx.interview.parse_answer import answer_to
from traindx.interview.questions.types import Choice, Complaint, Question, Told
from traindx.interview.session import named_answer
from traindx.interview.types import Interview

QUESTIONS = questions()
CHOICES = [
    pytest.param(question, choice, id=f"{question.slug}={choice.slug}")
    for question in QUESTIONS
    for choice in question.choices
]


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda row: row.slug)
def test_it_ends_as_it_should_and_takes_what_it_says_it_takes(question: Question) -> None:
    assert question.asks.endswith("?")
    assert question.look.endswith(".")
    assert question.complaints
    assert set(question.first) <= set(question.complaints)
    assert not answer_to(question, "unknown").is_known
    for choice in question.choices:
        assert answer_to(question, choice.slug).choice is choice
        assert choice.slug in question.accepts
    for text, _ in question.examples:
        assert answer_to(question, text).is_known


def test_what_was_typed_in_earlier_versions_is_still_understood() -> None:
    assert named_answer("regularisation=none").question.slug == "regularization"
    assert named_answer("Regularisation=usual").slug == "typical"
    names = [name for question in QUESTIONS for name in question.slugs]
    assert len(set(names)) == len(names)
    for question in QUESTIONS:
        slugs = [slug for choice in question.choices for slug in choice.slugs]
        assert len(set(slugs)) == len(slugs)
        for choice in question.choices:
            assert all(answer_to(question, slug).choice is choice for slug in choice.slugs)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda row: row.slug)
def test_what_people_usually_type_is_plausible(question: Question) -> None:
    if question.fields:
        assert answer_to(question, question.examples[0][0]).doubts({}) == ""
        assert all(field.words or field.plausible for field in question.fields)


@pytest.mark.parametrize(("question", "choice"), CHOICES)
def test_a_choice_does_not_rule_out_what_it_says(question: Question, choice: Choice) -> None:
    assert not {sign.slug for sign in choice.seen} & {sign.slug for sign in choice.unseen}
    assert choice.seen or choice.unseen or choice.speaks


@pytest.mark.parametrize(
    ("question", "choice"),
    [choice for choice in CHOICES if choice.values[1].fault],  # type: ignore[union-attr]
)
def test_a_choice_that_names_a_fault_makes_its_cause_likelier(question: Question, choice: Choice) -> None:
    def raises(complaint: Complaint) -> bool:
        before = Interview((complaint,))
        shares, after = rank(before), rank(before.after(Told(question, choice=choice)))
        return any(
            hypothesis.confidence > 1.5 * shares.share(hypothesis.cause.slug)
            for hypothesis in after.hypotheses[:3]
        )

    assert any(raises(complaint) for complaint in question.complaints)


def test_every_complaint_has_questions_and_begins_with_what_it_looks_like() -> None:
    for complaint in COMPLAINTS.values():
        assert sum(complaint in question.complaints for question in QUESTIONS) >= 3
        if complaint.slug not in ("gradients-explode", "gradients-vanish"):
            first = next_question(Interview((complaint,)))
            assert first is not None
            assert complaint in first.first
