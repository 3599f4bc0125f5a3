"""Reading in place of asking."""

from pathlib import Path

import pytest

from tests.cli.calling import HOT, NAN
from traindx.errors import TraindxError
from traindx.facts import BATCH_SIZE, LEARNING_RATE, OPTIMIZER
from traindx.interview.answers import open_questions, rank
from traindx.interview.complaints import COMPLAINTS
from traindx.interview.evidence import gather
from traindx.interview.types import Interview


def test_a_log_is_diagnosed() -> None:
    evidence = gather(HOT)
    assert evidence.diagnosis is not None
    assert evidence.asked == evidence.diagnosis.asked
    assert evidence.run.facts


def test_a_configuration_states_facts_and_nothing_ran(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("optimizer: AdamW\nlr: 0.0003\ntrain:\n  batch_size: 32\n")
    evidence = gather(str(file))
    assert evidence.diagnosis is None
    assert evidence.run.facts == {OPTIMIZER: "adamw", LEARNING_RATE: 0.0003, BATCH_SIZE: 32}
    assert "optimizer adamw" in evidence.says


def test_half_precision_in_a_configuration_or_a_script_is_not_asked_for(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"fp16": true, "learning_rate": 0.001}')
    (tmp_path / "train.py").write_text("model.half()\n")
    for name in ("config.json", "train.py"):
        interview = Interview((COMPLAINTS["loss-nan"],)).with_path(gather(str(tmp_path / name)))
        assert "precision" not in [question.slug for question in open_questions(interview)]
        assert rank(interview).top.cause.slug == "half-precision-overflow"


def test_a_log_answers_what_would_be_asked() -> None:
    interview = Interview((COMPLAINTS["loss-nan"],)).with_path(gather(NAN))
    assert "onset" not in [question.slug for question in open_questions(interview)]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("train.py", "def (", "train.py: not valid Python"),
        ("config.yaml", "colour: blue\n", "config.yaml"),
        ("picture.png", "\x89PNG", "picture.png"),
    ],
)
def test_what_says_nothing_gives_a_sentence(tmp_path: Path, name: str, content: str, says: str) -> None:
    file = tmp_path / name
    file.write_text(content)
    with pytest.raises(TraindxError, match=says):
        gather(str(file))
