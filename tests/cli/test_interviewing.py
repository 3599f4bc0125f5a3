"""The interview as a person walks through it, with what is typed written down before."""

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.cli.calling import HOT, NAN
from tests.interviews import ANOTHER_HAND, CASES, LATER_CASES, Case
from traindx.cli._interview import interviewed
from traindx.facts import LEARNING_RATE
from traindx.interview.answers import questions
from traindx.interview.complaints import COMPLAINTS
from traindx.interview.session import begin, conclude
from traindx.interview.types import Consultation

TRAINING = """\
import torch

torch.manual_seed(0)
layer = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
x = torch.randn(64, 4)
for step in range(60):
    share = layer(x).sigmoid() if step < 40 else layer(x).sigmoid() * 0
    loss = -share.log().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
SLUGS = {question.asks: question.slug for question in questions()}


class Visitor:
    """Reads what is asked, and types the answers of a case; what it does not know it leaves empty."""

    def __init__(self, complaint: str, answers: Mapping[str, str]) -> None:
        self.screen = ""
        self.asked: list[str] = []
        self._complaint, self._answers = complaint, answers

    def say(self, text: str) -> None:
        self.screen += text

    def read(self, prompt: str) -> str:
        if self.screen.endswith("[Y/n]\n"):
            return ""
        last = next(line for line in reversed(self.screen.splitlines()) if re.match(r" +\d+  \S", line))
        asks = last.split(maxsplit=1)[1]
        if asks not in SLUGS:
            return self._complaint
        slug = SLUGS[asks]
        self.asked.append(slug)
        return self._answers.get(slug, "")


def walked(case: Case) -> tuple[Visitor, Consultation]:
    numbers = {slug: str(index) for index, slug in enumerate(COMPLAINTS, start=1)}
    visitor = Visitor(numbers.get(case.complaint, case.complaint), case.answers)
    return visitor, interviewed(begin(), visitor.read, visitor.say)


@pytest.fixture(autouse=True)
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    # A question on one line, whatever the terminal of whoever tests.
    monkeypatch.setenv("COLUMNS", "120")


@pytest.mark.parametrize("case", [*CASES, *LATER_CASES, *ANOTHER_HAND], ids=lambda case: case.name)
def test_a_case_is_recognized_in_under_ten_questions(case: Case) -> None:
    visitor, consultation = walked(case)
    assert consultation.ranking.top.cause.slug in case.accepted
    assert conclude(consultation).stands_out
    assert len(visitor.asked) + 1 < 10
    assert len(set(visitor.asked)) == len(visitor.asked)
    assert re.search(r"▲ \+\d", visitor.screen)


def test_every_complaint_has_two_cases_and_one_that_came_later() -> None:
    named = [case.complaint if case.complaint in COMPLAINTS else "other" for case in CASES]
    assert all(named.count(slug) >= 2 for slug in COMPLAINTS)
    later = [case.complaint if case.complaint in COMPLAINTS else "other" for case in LATER_CASES]
    assert set(later) == set(COMPLAINTS)


def typing(*lines: str) -> Callable[[str], str]:
    """Types lines, then sends the end of input."""
    left: Iterator[str] = iter(lines)

    def read(_: str) -> str:
        for line in left:
            return line
        raise EOFError

    return read


def test_the_end_of_input_ends_politely_with_what_is_known() -> None:
    said: list[str] = []
    consultation = interviewed(begin(), typing("4", "3"), said.append)
    assert "Stopped here; the result so far:" in "".join(said)
    assert [answer.slug for answer in consultation.interview.told] == ["sudden"]


def test_ctrl_c_and_q_end_as_well() -> None:
    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    assert interviewed(begin(), interrupt, lambda _: None).moves == ()
    assert interviewed(begin(), typing("4", "q", "3"), lambda _: None).interview.told == ()


def test_a_log_that_is_given_in_place_of_an_answer_counts_and_is_not_asked_for(tmp_path: Path) -> None:
    said: list[str] = []
    consultation = interviewed(begin(), typing("4", NAN), said.append)
    assert f"read {NAN}" in "".join(said)
    run = consultation.interview.run
    assert run is not None
    # When the loss stopped being a number stands in the log.
    assert "When did the loss become NaN" in "".join(said).split(NAN)[0]
    assert "When did the loss become NaN" not in "".join(said).split(NAN, 1)[1]


def test_several_complaints_may_be_chosen_and_words_do_as_well() -> None:
    both = interviewed(begin(), typing("3, 4"), lambda _: None)
    assert [complaint.slug for complaint in both.interview.complaints] == ["loss-unstable", "loss-nan"]
    words = interviewed(begin(), typing("my loss is stuck at 2.3"), lambda _: None)
    assert [complaint.slug for complaint in words.interview.complaints] == ["loss-stuck"]


def test_other_is_described_in_words_and_another_field_is_named() -> None:
    consultation = interviewed(begin(), typing("9", "CUDA out of memory"), lambda _: None)
    assert [field.slug for field in consultation.outside] == ["out-of-memory"]
    assert consultation.interview.complaints == ()
    odd = interviewed(begin(), typing("9", "it sings"), lambda _: None)
    assert [complaint.slug for complaint in odd.interview.complaints] == ["other"]


def test_a_claim_is_checked_wherever_it_is_typed() -> None:
    said: list[str] = []
    consultation = interviewed(
        begin(), typing("7", "1", "claim more epochs", "I need another optimizer"), said.append
    )
    assert re.search(r'(?m)^HUNCH +"more epochs" +contradicted by the evidence$', "".join(said))
    assert [claim.slug for claim in consultation.claims] == ["more-epochs", "another-optimizer"]


def test_an_answer_in_words_that_a_claim_uses_is_an_answer() -> None:
    setup = interviewed(begin(), typing("2", "", "optimizer=adam lr=1e-5"), lambda _: None)
    assert [answer.slug for answer in setup.interview.told] == ["unknown", "optimizer=adam lr=1e-05"]
    assert setup.claims == ()


def test_every_answer_is_echoed_as_it_was_understood() -> None:
    said: list[str] = []
    interviewed(begin(), typing("my Loss is stuck at 2.3", "2"), said.append)
    text = "".join(said)
    assert 'noted: "my Loss is stuck at 2.3" (loss is stuck' in text
    assert "noted: fell at first, then flat" in text


@pytest.mark.parametrize(("confirms", "rate"), [("", 1.0), ("y", 1.0), ("n", 0.001)])
def test_a_menu_number_is_no_learning_rate_unless_it_is_confirmed(confirms: str, rate: float) -> None:
    said: list[str] = []
    answers = typing("2", "", "adam 1", confirms, "adam 1e-3")
    consultation = interviewed(begin(), answers, said.append)
    doubt = "noted: optimizer adam, learning rate 1. Unusually high for Adam; is that right? [Y/n]"
    assert doubt in "".join(said)
    assert consultation.interview.said[LEARNING_RATE] == rate


def test_what_is_no_answer_is_said_in_a_sentence_and_asked_again() -> None:
    said: list[str] = []
    consultation = interviewed(begin(), typing("the moon", "4", "7", "later", "3"), said.append)
    text = "".join(said)
    assert '"the moon" matches none of these' in text
    for typed in ("7", "later"):
        assert f'"{typed}" is not one of the answers; type a number from 1 to 3' in text
    assert [answer.slug for answer in consultation.interview.told] == ["sudden"]


def test_a_path_with_several_runs_is_named_and_the_question_stays() -> None:
    said: list[str] = []
    consultation = interviewed(begin(), typing("3", str(Path(HOT).parent), "1"), said.append)
    assert "pass one of them" in "".join(said)
    assert [answer.slug for answer in consultation.interview.told] == ["oscillates"]


def test_a_program_is_run_only_after_consent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "touch.py").write_text("open('ran', 'w')\n")
    said: list[str] = []
    interviewed(begin(), typing("3", "run python touch.py", ""), said.append)
    assert "Continue? [y/N]" in "".join(said)
    assert "Not run." in "".join(said)
    assert not (tmp_path / "ran").exists()


@pytest.mark.slow
def test_a_program_that_is_run_is_recorded_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(TRAINING)
    said: list[str] = []
    command = f"run {sys.executable} train.py"
    consultation = interviewed(begin(), typing("4", command, "y"), said.append)
    run = consultation.interview.run
    assert run is not None
    assert run.sources
    assert consultation.ranking.top.cause.slug == "unstable-loss-function"
    assert consultation.ranking.top.confidence > 0.9
    assert "traindx treat train.py" in [each.line for each in conclude(consultation).commands]
