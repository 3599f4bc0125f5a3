"""What a script says of itself."""

import pytest

from traindx.facts import (
    BATCH_SIZE,
    DROPOUT,
    LEARNING_RATE,
    MOMENTUM,
    OPTIMIZER,
    PRECISION,
    SHUFFLE,
    WEIGHT_DECAY,
)
from traindx.lint.script import read_script

LOOP = "loss.backward()\noptimizer.step()\n"


def test_written_settings_are_read_and_computed_ones_are_not() -> None:
    script = read_script(
        "BATCH = 64\n"
        "parser.add_argument('--lr', type=float, default=3e-4)\n"
        "optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=scale * 2)\n"
        "loader = DataLoader(data, batch_size=BATCH, shuffle=True)\n"
        "layer = nn.Dropout(0.2)\n",
        "train.py",
    )
    assert script.facts == {
        OPTIMIZER: "sgd",
        LEARNING_RATE: 3e-4,
        MOMENTUM: 0.9,
        BATCH_SIZE: 64,
        SHUFFLE: True,
        DROPOUT: 0.2,
    }


def test_a_name_with_two_values_is_not_known() -> None:
    script = read_script("rate = 0.1\nrate = 0.2\nAdam(parameters, lr=rate)\n", "train.py")
    assert script.facts == {OPTIMIZER: "adam"}


def test_the_first_of_two_optimizers_is_read_whole() -> None:
    script = read_script("Adam(body, lr=2e-3)\nSGD(head, lr=0.1, momentum=0.9)\n", "train.py")
    assert script.facts == {OPTIMIZER: "adam", LEARNING_RATE: 2e-3}


def test_trainers_and_half_precision_are_read_too() -> None:
    script = read_script(
        "TrainingArguments('out', learning_rate=5e-5, per_device_train_batch_size=8, weight_decay=0.01)\n"
        "model.half()\n",
        "train.py",
    )
    assert script.facts == {LEARNING_RATE: 5e-5, BATCH_SIZE: 8, WEIGHT_DECAY: 0.01, PRECISION: "float16"}


def test_a_loop_that_never_clears_is_seen_with_its_line() -> None:
    (asked,) = read_script("\n" + LOOP, "train.py").asked
    assert asked.sign.slug == "gradients_carried_over"
    assert asked.finding is not None
    assert asked.finding.says == "train.py:2 calls backward(), but zero_grad() is never called"
    assert read_script(LOOP + "optimizer.zero_grad()\n", "train.py").asked == ()
    assert read_script(LOOP + "for one in model.parameters():\n    one.grad = None\n", "train.py").asked == ()
    assert read_script("trainer.train()\n", "train.py").asked == ()


@pytest.mark.parametrize("text", ["def (", "\0", "(" * 5000])
def test_what_is_no_python_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not valid Python"):
        read_script(text, "train.py")
