"""What is legal and unusual works with a recorder as it works without one."""

from collections.abc import Callable
from pathlib import Path
from types import FunctionType

import pytest

from tests.promises.odd import data, models, optimizers, surroundings
from tests.promises.tape_reading import read_tape
from traindx.recorder.hooks import attachment
from traindx.run import EventKind

ODD = [
    value
    for module in (data, models, optimizers, surroundings)
    for value in vars(module).values()
    if isinstance(value, FunctionType) and value.__module__ == module.__name__
]
"""Each returns what must be the same with and without a recorder."""


@pytest.mark.parametrize("training", ODD, ids=[training.__name__ for training in ODD])
def test_odd_training_is_the_same(training: Callable[[], object], tmp_path: Path) -> None:
    plain = training()
    watching = attachment.attach(tmp_path, budget=1.0)
    try:
        watched = training()
    finally:
        watching.detach()
    assert watched == plain
    tapes = [read_tape(path) for path in tmp_path.glob("*.traindx")]
    assert len(tapes) == 1
    aside = EventKind.STEPPED_ASIDE.value
    assert [event.says for event in tapes[0].events if event.kind == aside] == []
