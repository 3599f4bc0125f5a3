"""How far a run was meant to go, by the lines of its log."""

import pytest

from tests.readers.text_series import log_of
from traindx.run import Scalar


def lines(form: str, *counts: int) -> str:
    return "".join(form.format(n) + f" loss {1 / (k + 1):.3f}\n" for k, n in enumerate(counts))


PLANS: dict[str, tuple[str, dict[str, Scalar]]] = {
    "steps": (lines("step {}/5000", 25, 50, 75), {"planned_steps": 5000}),
    "iterations": (lines("iter {} / 5000:", 100, 200, 300), {"planned_steps": 5000}),
    "episodes": (lines("Episode {}/500", 1, 2, 3), {"planned_steps": 500}),
    "a leading count": (lines("[{}/100]", 10, 20, 30), {"planned_steps": 100}),
    "epochs": (lines("Epoch {}/10,", 3, 4, 5), {"planned_epochs": 10}),
    "epochs from zero": (lines("Epoch {}/2,", 0, 1, 2), {"planned_epochs": 3}),
    "epochs in words": (lines("Epoch {} of 20:", 1, 2, 3), {"planned_epochs": 20}),
    "a heading per epoch": ("Epoch 1/9\ntrain loss 0.9\nEpoch 2/9\ntrain loss 0.8\n", {"planned_epochs": 9}),
    "a bar over the run": (
        "".join(f"  1%|#   | {n}/500 [00:10<01:00, 5.00it/s, loss={1 / n}]\n" for n in (10, 20, 30)),
        {"planned_steps": 500},
    ),
    "a bar beside the step": (
        "".join(f"  1%|#   | {n}/500 [00:10<01:00, step={n}, loss={1 / n}]\n" for n in (10, 20, 30)),
        {"planned_steps": 500},
    ),
    "lines that do not say it": (
        lines("step {}/5000", 25, 50) + "step 50: val loss 0.4\n",
        {"planned_steps": 5000},
    ),
    "steps counted through over epochs": (
        "epoch 1 step 10/40 loss 0.9\nepoch 2 step 20/40 loss 0.8\nepoch 3 step 30/40 loss 0.7\n",
        {"planned_steps": 40},
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_the_total_is_what_the_run_was_to_take(name: str) -> None:
    text, planned = PLANS[name]
    assert log_of(text).settings == planned


NO_STEPS: dict[str, str] = {
    "steps of each epoch": (
        "Epoch [1/10], Step [300/600], Loss: 0.5\nEpoch [1/10], Step [600/600], Loss: 0.4\n"
        "Epoch [2/10], Step [300/600], Loss: 0.3\n"
    ),
    "one epoch, so that it cannot be told": lines("Epoch 1/10 step {}/600", 100, 200),
    "batches": lines("Epoch 1/10, batch {}/100,", 3, 50),
    "a bar per epoch": (
        "Epoch 1/10: 100%|##| 100/100 [00:20<00:00,  5.00it/s, loss=0.8]\n"
        "Epoch 2/10:  50%|# | 50/100 [00:10<00:10,  5.00it/s, loss=0.7]\n"
    ),
    "a bar that begins anew": lines("step {}/100", 50, 100, 50, 100),
    "two totals": lines("step {}/100", 10, 20) + lines("step {}/200", 30, 40),
    "more than there are": lines("step {}/100", 90, 110),
}


@pytest.mark.parametrize("name", NO_STEPS)
def test_a_total_that_is_not_of_the_run(name: str) -> None:
    assert "planned_steps" not in log_of(NO_STEPS[name]).settings


def test_what_the_program_says_it_was_set_to_counts_more() -> None:
    log = log_of("epochs = 30\nlr = 0.1\n" + lines("Epoch {}/29,", 1, 2, 3))
    assert log.settings == {"epochs": 30, "lr": 0.1}
