"""Dead units against a record of every value ever shown."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from traindx.recorder.tensors.unit_watch import UnitWatches


def share(watches: UnitWatches, output: Tensor, axis: int = -1) -> float | None:
    """The share of dead units after one more output of one layer."""
    watches.snapshot("layer", "", output, axis)
    shares = watches.settle()
    return float(shares[0].share) if shares else None


def sparse(rows: int, chances: Tensor) -> Tensor:
    """Rows in which each unit works with its own chance."""
    return (torch.rand(rows, len(chances)) < chances).float() * 3


def slowly(history: list[Tensor]) -> float | None:
    """A unit is dead if the last looks it was zero in are at least 5 and have at least 256 inputs."""
    dead = judged = 0
    for unit in range(history[0].shape[1]):
        looks = inputs = 0
        for output in reversed(history):
            if any(value != 0 for value in output[:, unit].tolist()):
                break
            looks, inputs = looks + 1, inputs + len(output)
        dead += looks >= 5 and inputs >= 256
        judged += 1
    enough = len(history) >= 5 and sum(map(len, history)) >= 256
    return dead / judged if enough else None


@pytest.mark.parametrize("rows", [10, 32, 64, 200])
def test_shares_are_those_of_a_full_record(rows: int) -> None:
    torch.manual_seed(rows)
    watches, history = UnitWatches(), []
    chances = torch.tensor([0.0, 0.0, 0.001, 0.004, 0.02, 0.5, 1.0])
    for number in range(45):
        # One unit dies on the way, one comes back to life.
        chances[5] = 0.5 if number < 12 else 0.0
        chances[1] = 0.0 if number < 35 else 0.3
        history.append(sparse(rows, chances))
        measured, expected = share(watches, history[-1]), slowly(history)
        assert (measured is None) == (expected is None)
        assert measured == (None if expected is None else pytest.approx(expected))


def test_units_that_rest_in_one_batch_are_not_dead() -> None:
    watches = UnitWatches()
    work, rest = torch.ones(300, 4), torch.zeros(300, 4)
    for output in (work, rest, work, rest, work, rest, rest, rest, rest):
        assert share(watches, output) in (None, 0.0)
    assert share(watches, rest) == 1.0


def test_channels_are_the_units_of_images() -> None:
    watches = UnitWatches()
    for number in range(8):
        output = torch.zeros(32, 6, 9, 9)
        output[:, :4] = torch.rand(32, 4, 9, 9) + 0.1
        # A channel that works in a corner only is seen because the positions change from look to look.
        output[:, 4, 0, 0] = 1.0
        layout = torch.channels_last if number % 2 else torch.contiguous_format
        measured = share(watches, output.to(memory_format=layout), axis=1)
    assert measured == pytest.approx(1 / 6)


def test_positions_of_sequences_count_as_inputs() -> None:
    watches = UnitWatches()
    for _ in range(5):
        output = torch.rand(4, 64, 8) + 0.1
        output[..., 3] = 0
        measured = share(watches, output)
    assert measured == 0.125


def test_negative_and_bad_values_are_work() -> None:
    watches = UnitWatches()
    for _ in range(6):
        measured = share(watches, torch.tensor([[-1.0, torch.nan, 0.0, torch.inf]]).repeat(64, 1))
    assert measured == 0.25


def test_layers_of_different_width_are_kept_apart() -> None:
    watches = UnitWatches()
    for _ in range(5):
        for name, width in (("a", 4), ("b", 8), ("c", 4)):
            output = torch.ones(64, width)
            output[:, : width // 4] = 0 if name != "c" else 1
            watches.snapshot(name, "", output, -1)
        shares = watches.settle()
    assert {dead.layer: float(dead.share) for dead in shares} == {"a": 0.25, "b": 0.25, "c": 0.0}


def test_another_width_begins_anew() -> None:
    watches = UnitWatches()
    for _ in range(6):
        share(watches, torch.zeros(64, 4))
    assert share(watches, torch.zeros(64, 5)) is None


def test_a_vocabulary_and_single_values_are_not_watched() -> None:
    watches = UnitWatches()
    for _ in range(6):
        assert share(watches, torch.zeros(2, 40_000)) is None
        assert share(watches, torch.zeros(300)) is None
