"""What the processes of one distributed training recorded is one run."""

from collections.abc import Sequence

import numpy as np
import pytest

from traindx.facts import BATCH_SIZE, RANK, RANKS, RANKS_APART, RECORDING_SECONDS
from traindx.quantities import GRADIENT_NORM, TRAIN_LOSS, VAL_LOSS, WEIGHT_NORM
from traindx.readers.loading.ranks import with_processes_joined
from traindx.run import Event, EventKind, Quantity, Run, Series


def series(quantity: Quantity, values: Sequence[float], layer: str = "") -> Series:
    return Series(quantity, np.arange(1.0, len(values) + 1), np.array(values), layer=layer)


def process(rank: int, *found: Series, folder: str = "runs/a", ranks: int = 2, turn: str = "") -> Run:
    path = f"{folder}/rank-{rank}.traindx"
    facts = {RANK: rank, RANKS: ranks, BATCH_SIZE: 16, RECORDING_SECONDS: 0.1 * (rank + 1)}
    return Run(f"{path}{turn}", found, (path,), facts=facts)


def test_losses_are_means_and_gradients_are_those_of_the_first() -> None:
    runs = with_processes_joined(
        [
            process(0, series(TRAIN_LOSS, [4.0, 2.0]), series(GRADIENT_NORM, [1.0, 1.0], "a")),
            process(1, series(TRAIN_LOSS, [2.0, 1.0]), series(GRADIENT_NORM, [3.0, 3.0], "a")),
        ]
    )
    (run,) = runs
    assert run.name == "runs/a"
    assert run.sources == ("runs/a/rank-0.traindx", "runs/a/rank-1.traindx")
    assert run[TRAIN_LOSS].values.tolist() == [3.0, 1.5]
    assert run[GRADIENT_NORM].values.tolist() == [1.0, 1.0]
    assert run.facts == {RANKS: 2, BATCH_SIZE: 16, RECORDING_SECONDS: 0.2}
    assert run.notes == ("losses and metrics: means over ranks 0, 1",)


def test_a_value_that_is_not_finite_in_one_process_is_not_finite() -> None:
    (run,) = with_processes_joined(
        [process(0, series(TRAIN_LOSS, [4.0, 2.0])), process(1, series(TRAIN_LOSS, [2.0, np.nan]))]
    )
    assert np.isnan(run[TRAIN_LOSS].values).tolist() == [False, True]


def test_what_only_one_process_measures_is_kept() -> None:
    loss = series(TRAIN_LOSS, [4.0, 2.0])
    (run,) = with_processes_joined([process(1, loss), process(0, loss, series(VAL_LOSS, [3.0]))])
    assert run[VAL_LOSS].values.tolist() == [3.0]
    (run,) = with_processes_joined([process(0, loss), process(1, loss, series(VAL_LOSS, [3.0]))])
    assert run[VAL_LOSS].values.tolist() == [3.0]


def test_a_process_that_ended_early_does_not_cut_the_others() -> None:
    (run,) = with_processes_joined(
        [process(0, series(TRAIN_LOSS, [4.0, 2.0, 1.0])), process(1, series(TRAIN_LOSS, [2.0]))]
    )
    assert run[TRAIN_LOSS].values.tolist() == [4.0, 2.0, 1.0]


def test_what_happened_to_another_process_is_told_with_its_rank() -> None:
    same = Event(EventKind.INTERRUPTED, "stopped")
    first = process(0, series(TRAIN_LOSS, [1.0]))
    other = process(1, series(TRAIN_LOSS, [1.0]))
    failed = Event(EventKind.EXCEPTION, "ValueError: no", 3)
    (run,) = with_processes_joined(
        [_with(first, same), _with(other, same, failed)],
    )
    assert [event.says for event in run.events] == ["stopped", "rank 1: ValueError: no"]


def _with(run: Run, *events: Event) -> Run:
    return Run(run.name, run.series, run.sources, facts=run.facts, events=events)


@pytest.mark.parametrize(
    "other",
    [
        process(1, series(TRAIN_LOSS, [2.0]), folder="runs/b"),
        process(0, series(TRAIN_LOSS, [2.0])),
        process(1, series(TRAIN_LOSS, [2.0]), ranks=1),
    ],
)
def test_other_trainings_stay_apart(other: Run) -> None:
    assert len(with_processes_joined([process(0, series(TRAIN_LOSS, [4.0])), other])) == 2


def test_several_trainings_of_each_process_are_joined_in_turn() -> None:
    runs = with_processes_joined(
        [
            process(rank, series(TRAIN_LOSS, [value + rank]), turn=turn)
            for rank in (0, 1)
            for turn, value in ((":training 1", 1.0), (":training 2", 5.0))
        ]
    )
    assert [run[TRAIN_LOSS].values.tolist() for run in runs] == [[1.5], [5.5]]
    assert [run.name for run in runs] == ["runs/a:training 1", "runs/a:training 2"]


@pytest.mark.parametrize(
    ("first", "other", "apart"),
    [
        ([1.0, 2.0], [1.0, 2.0], 0.0),
        ([1.0, 2.0], [1.0, 3.0], 0.5),
        # Shards of one model differ from the start, and a single look says nothing.
        ([1.0, 2.0], [0.9, 3.0], None),
        ([1.0], [1.0], None),
    ],
)
def test_weights_that_began_alike_are_compared_over_ranks(
    first: list[float], other: list[float], apart: float | None
) -> None:
    norms = [series(WEIGHT_NORM, values, "a") for values in (first, other)]
    (run,) = with_processes_joined([process(rank, norm) for rank, norm in enumerate(norms)])
    assert run.facts.get(RANKS_APART) == apart
