import numpy as np
import pytest

from traindx.readers.tabular.json_values import only_sets
from traindx.readers.types import Column, Log
from traindx.run import Scalar


def log(settings: dict[str, Scalar] | None = None, **numbers: list[float]) -> Log:
    columns = tuple(
        Column(name, np.array(values), np.arange(len(values), dtype=np.float64), np.arange(len(values)))
        for name, values in numbers.items()
    )
    return Log("t", columns, settings or {})


def test_facts_alone_are_settings() -> None:
    assert only_sets(log(lr=[2.0], batch_size=[32.0]))
    assert only_sets(log({"optimizer": "sgd"}, milestones=[30.0, 60.0]))


@pytest.mark.parametrize("numbers", [{"loss": [0.5]}, {"lr": [0.1, 0.2]}, {"reward": [3.0]}])
def test_what_is_measured_or_recurs_is_a_log(numbers: dict[str, list[float]]) -> None:
    assert not only_sets(log({"batch_size": 32}, **numbers))


def test_without_a_fact_nothing_is_settled() -> None:
    assert not only_sets(log(best_epoch=[3.0]))
