"""The page of an interview, and its turns, built by hand."""

import re

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.report.formats import canonical
from tests.report.results.screens import screen
from traindx.diagnosis.types import NextExperiment, Reason
from traindx.interview.complaints import COMPLAINTS, Outside
from traindx.interview.questions.types import Choice, Question
from traindx.interview.types import (
    CheckedClaim,
    Claim,
    Command,
    Conclusion,
    Consultation,
    Hypothesis,
    Interview,
    Move,
    Ranking,
    Stand,
)
from traindx.report import text
from traindx.report.blocks import Page
from traindx.report.results.interview import asked, bars, claim, listing, opening, page, summary

COMPLAINT = COMPLAINTS["loss-unstable"]
QUESTION = Question(
    "onset",
    "When did the loss become NaN?",
    "Look at the first NaN in the log.",
    (COMPLAINT,),
    (Choice("sudden", "suddenly, while all was well"), Choice("first-steps", "in the first steps")),
)
RANKING = Ranking(
    (
        Hypothesis(
            canonical.TOO_HIGH,
            0.62,
            (Reason("you say: it jumps", 2.5, canonical.DIVERGES, True), Reason("prior", -3.0)),
        ),
        Hypothesis(canonical.WARMUP, 0.2, (Reason("prior", -3.0),)),
    ),
    0.05,
)
EARLIER = Ranking(tuple(reversed(RANKING.hypotheses)), 0.3)
MOVE = Move("How does the loss move?", "it jumps", RANKING, EARLIER)
CLAIM = CheckedClaim(
    Claim(
        "more-epochs", "I need more epochs", re.compile("epochs"), (), "More epochs help if it still falls."
    ),
    Stand.FAILS,
    0.02,
    "The loss does not fall any more.",
    ("training loss is flat for 750 steps",),
    (canonical.TOO_HIGH,),
    ("a loss that falls until the end",),
)
OUTSIDE = Outside("oom", "out of memory", re.compile("oom"), "Use a smaller batch.", "A leak is in scope.")
LIMITS = ("Based on 1 answer; a recording would be stronger evidence.",)


def conclusion(
    *, stands_out: bool, claims: tuple[CheckedClaim, ...] = (), complains: bool = True
) -> Conclusion:
    interview = Interview((COMPLAINT,) if complains else ())
    consultation = Consultation(interview, RANKING, (MOVE,), tuple(each.claim for each in claims))
    experiment = NextExperiment(canonical.TOO_HIGH, canonical.TOO_HIGH.experiment, ())
    return Conclusion(
        consultation,
        "Most likely: Learning rate too high (62%).",
        stands_out,
        RANKING.hypotheses,
        claims,
        experiment if stands_out else None,
        (Command("traindx run train.py", "records gradients and shapes"), Command("traindx causes", "lists")),
        QUESTION,
        LIMITS,
    )


CONCLUSIONS = {
    "likely": conclusion(stands_out=True),
    "unclear": conclusion(stands_out=False),
    "claim": conclusion(stands_out=True, claims=(CLAIM,), complains=False),
    "complaint-and-claim": conclusion(stands_out=True, claims=(CLAIM,)),
    "out-of-scope": Conclusion(
        Consultation(Interview(), RANKING, outside=(OUTSIDE,)),
        "Out of scope.",
        False,
        (),
        (),
        None,
        (),
        None,
        (),
    ),
}


@pytest.mark.parametrize("name", list(CONCLUSIONS))
def test_what_it_comes_to(name: str, snapshot: SnapshotAssertion) -> None:
    reached = CONCLUSIONS[name]
    assert screen(page(reached, ask="--answer onset=sudden|first-steps")) == snapshot
    assert summary(reached) == snapshot(name="quiet")


def test_turns(snapshot: SnapshotAssertion) -> None:
    shown = [
        opening(),
        asked("What do you see?", 1, ["the loss is stuck", "the loss is NaN"]),
        asked(QUESTION.asks, 2, [choice.says for choice in QUESTION.choices], QUESTION.look),
        [bars(MOVE.after, MOVE.before)],
        claim(CLAIM),
        listing(QUESTION),
    ]
    pages = [text.write(Page("", tuple(blocks)), everything=True) for blocks in shown]
    assert "".join(pages) == snapshot
