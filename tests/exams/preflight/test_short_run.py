"""How long a program is going to be, from what it says of itself."""

import pytest

from traindx.exams.preflight.short_run import length_of
from traindx.exams.preflight.types import Length
from traindx.facts import BACKWARDS_PER_STEP, PLANNED_EPOCHS, STEPS_PER_EPOCH
from traindx.run import Fact, Run


@pytest.mark.parametrize(
    ("told", "facts", "steps", "epochs", "each"),
    [
        ({"times": [30, 45]}, {}, 1350, 30, 45),
        ({"times": [30, 45]}, {BACKWARDS_PER_STEP: 5}, 270, 30, 9),
        ({"times": [30, None], "round": 12}, {}, 360, 30, 12),
        ({"times": [30, None]}, {}, None, 30, None),
        ({"times": [None, 45]}, {STEPS_PER_EPOCH: 45}, None, None, 45),
        ({"times": []}, {}, None, None, None),
        ({"times": [700], "round": 1}, {}, 700, 700, 1),
        ({"trainer": "the Lightning Trainer", "steps": 300, "epochs": 3}, {}, 300, 3, 100),
        ({"trainer": "the Lightning Trainer", "steps": None, "epochs": None}, {}, None, None, None),
        ({"problem": "no optimizer"}, {PLANNED_EPOCHS: 4, STEPS_PER_EPOCH: 20}, 80, 4, 20),
        ({"problem": "no optimizer"}, {}, None, None, None),
    ],
)
def test_the_length_of_a_program(
    told: dict[str, object], facts: dict[Fact, int], steps: int | None, epochs: int | None, each: int | None
) -> None:
    length = length_of(told, Run("small", (), facts=facts))
    assert (length.steps, length.epochs, length.epoch_steps) == (steps, epochs, each)
    assert isinstance(length, Length)
    assert length.says
