"""How changes are written: what is known, and what is refused before a program is run."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch.nn import functional

from tests.changes.changing import changed
from tests.changes.training import train
from traindx.changes.live.apply import check
from traindx.changes.types import change_of, parse_change, parse_changes
from traindx.diagnosis import knowledge
from traindx.errors import TraindxError


@pytest.mark.parametrize("text", ["nonsense", "optimizer.speed 3", ""])
def test_what_is_no_change_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(TraindxError, match=r"unknown change|is not a change"):
        change_of(parse_change(text))


@pytest.mark.parametrize(
    "text",
    [
        "optimizer.use rmsprop",
        "activation.replace relu",
        "init.reset",
        "precision.use float16",
        "optimizer.lr x y",
        "schedule.range 1 10",
        "schedule.range 10 1 75",
    ],
)
def test_a_change_with_the_wrong_words_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(TraindxError, match=r"for example|number"), changed(tmp_path, text):
        train()


@pytest.mark.parametrize(
    "text",
    [
        "optimizer.lr banana",
        "optimizer.lr",
        "optimizer.lr nan",
        "loader.batch_size x 0",
        "loss.negate 3",
        "init.reset somehow",
        "activation.replace relu nothing",
        "stop.early 3",
        "no.such",
    ],
)
def test_a_change_that_is_written_otherwise_is_refused(text: str) -> None:
    with pytest.raises(TraindxError, match=text.split()[0]):
        check(parse_change(text))


def test_what_the_catalogue_asks_for_is_written_as_it_should_be() -> None:
    texts = [fix.change for cause in knowledge.causes() for fix in cause.fixes if fix.change]
    before = dict(vars(functional)), torch.manual_seed
    for text in texts:
        for change in parse_changes(text):
            check(change)
    assert len(texts) > 50
    assert (dict(vars(functional)), torch.manual_seed) == before, "looking at a change leaves nothing behind"
