"""Belief from what is told, beside belief from what is measured."""

from dataclasses import replace

import pytest

from tests.cli.calling import COOL, HOT
from traindx.diagnosis.types import SignResult
from traindx.facts import LEARNING_RATE, OPTIMIZER
from traindx.finding import Evidence, Finding
from traindx.interview.answers import MISTAKEN, TOLD, questions, rank
from traindx.interview.complaints import COMPLAINTS
from traindx.interview.evidence import gather
from traindx.interview.parse_answer import answer_to
from traindx.interview.questions.types import Choice, Question, Told
from traindx.interview.types import Gathered, Interview
from traindx.run import Run

QUESTIONS = {question.slug: question for question in questions()}
CHOICES = [
    pytest.param(question, choice, id=f"{question.slug}={choice.slug}")
    for question in QUESTIONS.values()
    for choice in question.choices
    if choice.fault and choice.seen and not choice.speaks
]


def told(slug: str, answer: str) -> Told:
    return answer_to(QUESTIONS[slug], answer)


@pytest.mark.parametrize(("question", "choice"), CHOICES)
def test_the_same_is_believed_more_where_it_was_measured(question: Question, choice: Choice) -> None:
    complaint = Interview((question.complaints[0],))
    told_alone = replace(choice, unseen=())
    by_word = rank(complaint.after(Told(question, choice=told_alone)))
    finding = Finding(1.0, "measured", (Evidence(LEARNING_RATE, (0.0, 0.0), 1.0),))
    asked = tuple(SignResult(sign, finding) for sign in choice.seen)
    by_run = rank(complaint.with_path(Gathered("log", "a log", Run("log", ()), asked)))
    assert by_run.top.confidence > by_word.top.confidence


def test_no_answers_make_anybody_sure() -> None:
    """However much is told, a part of the belief stays where it was before."""
    interview = Interview((COMPLAINTS["overfitting"],))
    for slug, answer in (("modes", "validated-in-train"), ("validation", "noisy"), ("split", "same")):
        interview = interview.after(told(slug, answer))
    assert 0.5 < rank(interview).top.confidence < 1 - MISTAKEN + 0.15


def test_belief_adds_up_to_one_at_every_step() -> None:
    interview = Interview((COMPLAINTS["loss-nan"],))
    for slug, answer in (("onset", "sudden"), ("finite", "clean"), ("setup", "adam 1e-3")):
        interview = interview.after(told(slug, answer))
        ranking = rank(interview)
        together = ranking.healthy + sum(hypothesis.confidence for hypothesis in ranking.hypotheses)
        assert together == pytest.approx(1.0)


def test_an_answer_that_is_not_known_moves_nothing() -> None:
    before = Interview((COMPLAINTS["loss-slow"],)).after(told("setup", "adam 1e-6"))
    after = before.after(told("length", "unknown"))
    assert [(hypothesis.cause.slug, hypothesis.confidence) for hypothesis in rank(after).hypotheses] == [
        (hypothesis.cause.slug, hypothesis.confidence) for hypothesis in rank(before).hypotheses
    ]


def test_what_was_read_outweighs_what_was_told() -> None:
    complaint = Interview((COMPLAINTS["loss-nan"],))
    ranking = rank(complaint.with_path(gather(COOL)))
    assert ranking.healthy > 0.3
    assert any(
        "your answer is yes, but the files say no" in contradiction
        for contradiction in ranking.contradictions
    )


def test_a_log_alone_is_believed_as_its_diagnosis_believes() -> None:
    log = gather(HOT)
    assert log.diagnosis is not None
    ranking = rank(Interview().with_path(log))
    assert ranking.healthy == pytest.approx(log.diagnosis.healthy)
    for suspect in log.diagnosis.suspects:
        assert ranking.share(suspect.cause.slug) == pytest.approx(suspect.confidence)


def test_facts_that_are_told_one_by_one_are_judged_together() -> None:
    setup = QUESTIONS["setup"]
    interview = Interview((COMPLAINTS["loss-slow"],))
    first = interview.after(Told(setup, facts={LEARNING_RATE: 1e-6}))
    assert rank(first).share("lr-too-low") == pytest.approx(rank(interview).share("lr-too-low"))
    both = first.after(Told(setup, facts={OPTIMIZER: "adam"}))
    assert len(both.told) == 1
    assert both.facts == {LEARNING_RATE: 1e-6, OPTIMIZER: "adam"}
    assert rank(both).share("lr-too-low") > 2 * rank(first).share("lr-too-low")


def test_the_lines_say_who_said_it_and_count_less() -> None:
    ranking = rank(Interview((COMPLAINTS["loss-unstable"],)).after(told("loop", "not-cleared")))
    assert ranking.top.cause.slug == "gradients-not-cleared"
    line = next(reason for reason in ranking.top.reasons if reason.sign and reason.seen)
    assert line.says == "your answer: zero_grad() is missing or never called"
    clue = next(each for each in ranking.top.cause.clues if each.sign.slug == "gradients_carried_over")
    assert 0 < line.points <= TOLD * clue.seen
    clean = rank(Interview((COMPLAINTS["loss-unstable"],)).after(told("loop", "clean")))
    ruled_out = next(
        hypothesis for hypothesis in clean.hypotheses if hypothesis.cause.slug == "gradients-not-cleared"
    )
    assert any(reason.says.startswith("you rule out: ") and reason.points < 0 for reason in ruled_out.reasons)


def test_a_second_complaint_is_weighed_beside_the_first() -> None:
    alone = rank(Interview((COMPLAINTS["loss-unstable"],)))
    two = rank(replace(Interview((COMPLAINTS["loss-unstable"], COMPLAINTS["loss-nan"]))))
    assert two.share("lr-too-high") > alone.share("lr-too-high")
