"""Reading in place of asking."""

from pathlib import Path

import pytest

from tests.cli.calling import HOT
from traindx.errors import TraindxError
from traindx.facts import BATCH_SIZE, LEARNING_RATE, OPTIMIZER
from traindx.gathering import gather


def test_a_log_is_diagnosed() -> None:
    found = gather(HOT)
    assert found.diagnosis is not None
    assert found.asked == found.diagnosis.asked
    assert found.run.facts


def test_a_configuration_states_facts_and_nothing_ran(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("optimizer: AdamW\nlr: 0.0003\ntrain:\n  batch_size: 32\n")
    found = gather(str(file))
    assert found.diagnosis is None
    assert found.run.facts == {OPTIMIZER: "adamw", LEARNING_RATE: 0.0003, BATCH_SIZE: 32}
    assert "optimizer adamw" in found.says


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("train.py", "def (", "train.py: is no Python"),
        ("config.yaml", "colour: blue\n", "config.yaml"),
        ("picture.png", "\x89PNG", "picture.png"),
    ],
)
def test_what_says_nothing_gives_a_sentence(tmp_path: Path, name: str, content: str, says: str) -> None:
    file = tmp_path / name
    file.write_text(content)
    with pytest.raises(TraindxError, match=says):
        gather(str(file))
