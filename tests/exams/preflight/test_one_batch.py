"""Programs that overfit one batch, and programs that cannot."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

pytest.importorskip("torch")

from torch import Tensor, nn
from torch.optim import Adam

from tests.exams.preflight.rehearsals import ask, rehearsal_of, repeated
from tests.trainings import CLASSIFIES, FEATURES, PREDICTS, Training, rate, scaled, stack
from traindx.facts import OPTIMIZERS_IN_TURN
from traindx.finding import Mark

LEARNS = replace(CLASSIFIES, optimizer=partial(Adam, lr=0.02))


@pytest.mark.parametrize(
    ("training", "mark"),
    [
        (LEARNS, Mark.PASS),
        (replace(PREDICTS, optimizer=partial(Adam, lr=0.02)), Mark.PASS),
        (replace(LEARNS, loss=nn.CrossEntropyLoss(label_smoothing=0.1)), Mark.PASS),
        (replace(LEARNS, begins=scaled(1, biases=-9)), Mark.FAIL),
        (replace(CLASSIFIES, optimizer=rate(1e-8)), Mark.FAIL),
        (replace(CLASSIFIES, optimizer=rate(1e-3), steps=24), Mark.WARN),
        (
            replace(
                PREDICTS,
                net=partial(stack, FEATURES, 16, 1, last=nn.ReLU()),
                optimizer=partial(Adam, lr=0.02),
            ),
            Mark.WARN,
        ),
        (replace(CLASSIFIES, optimizer=rate(1e30)), Mark.FAIL),
        (replace(LEARNS, steps=10), Mark.UNSEEN),
    ],
    ids="learns predicts smoothed dead still slow bounded breaks short".split(),
)
def test_one_batch(training: Training, mark: Mark, tmp_path: Path) -> None:
    held = ask("one-batch", rehearsal_of(CLASSIFIES, repeated=repeated(training, tmp_path)))
    assert held.mark is mark, held


def test_what_learns_slowly_points_to_the_rate(tmp_path: Path) -> None:
    slow = repeated(replace(CLASSIFIES, optimizer=rate(1e-3), steps=24), tmp_path)
    assert ask("one-batch", rehearsal_of(CLASSIFIES, repeated=slow)).causes == ("lr-too-low",)


def test_a_loss_without_a_known_end_never_fails(tmp_path: Path) -> None:
    def offset(prediction: Tensor, target: Tensor) -> Tensor:
        return nn.functional.cross_entropy(prediction, target) + 50

    held = repeated(replace(LEARNS, loss=offset), tmp_path)
    assert ask("one-batch", rehearsal_of(CLASSIFIES, repeated=held)).mark is Mark.PASS


def test_adversaries_and_what_could_not_be_held_are_not_judged(tmp_path: Path) -> None:
    learned = repeated(LEARNS, tmp_path)
    plain = rehearsal_of(CLASSIFIES, repeated=learned)
    in_turn = replace(plain.run, facts={**plain.run.facts, OPTIMIZERS_IN_TURN: 2})
    held = ask("one-batch", replace(plain, run=in_turn))
    assert held.mark is Mark.UNSEEN
    assert "not applicable" in held.says
    refused = ask("one-batch", rehearsal_of(CLASSIFIES, repeated="one batch cannot be repeated: no loader"))
    assert (refused.mark, refused.says) == (Mark.UNSEEN, "one batch cannot be repeated: no loader")
