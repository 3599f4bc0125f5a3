import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.errors import UnreadableError
from traindx.readers.json_records import READER
from traindx.readers.loading.files import in_memory
from traindx.readers.types import Column, Log
from traindx.run import Axis, EventKind

SAMPLE = b"""[
    {
        "iteration": 500,
        "epoch": 0,
        "main/loss": 7.08189821,
        "perplexity": 1190.2
    },
    {
        "iteration": 1000,
        "epoch": 1,
        "main/loss": NaN,
        "perplexity": 769.6,
        "validation/main/loss": 5.3
    },
    {
        "iteration": 1500,
        "epoch": 1,
        "main/loss": 5.5,
        "perplexity": 700.0
    }
]
"""


def logs(document: object) -> list[Log]:
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return list(READER.read(in_memory("t", data)))


def columns(document: object) -> dict[str, Column]:
    (log,) = logs(document)
    return {column.name: column for column in log.columns}


def points(column: Column) -> list[tuple[float, float]]:
    return list(zip(column.steps.tolist(), column.values.tolist(), strict=True))


def test_a_list_of_records() -> None:
    by_name = columns(SAMPLE)
    assert by_name["perplexity"].steps.tolist() == [500, 1000, 1500]
    assert points(by_name["validation/main/loss"]) == [(1000, 5.3)]
    assert by_name["validation/main/loss"].rows.tolist() == [1]


def test_keras_history_counts_epochs_from_zero() -> None:
    by_name = columns({"loss": [0.5, 0.4], "val_loss": [0.6, 0.5], "lr": [0.1, 0.1]})
    assert {column.axis for column in by_name.values()} == {Axis.EPOCH}
    assert points(by_name["val_loss"]) == [(0, 0.6), (1, 0.5)]
    assert by_name["loss"].rows.tolist() == by_name["val_loss"].rows.tolist()


def test_what_wraps_all_curves_is_no_part_of_their_names() -> None:
    (log,) = logs(
        {"history": {"loss": [0.5, 0.4], "val_loss": [None, 0.5]}, "epoch": [3, 4], "params": {"lr": 0.1}}
    )
    by_name = {column.name: column for column in log.columns}
    assert points(by_name["loss"]) == [(3, 0.5), (4, 0.4)]
    assert points(by_name["val_loss"]) == [(4, 0.5)]
    assert log.settings == {"params.lr": 0.1}


def test_positions_in_a_list_beside() -> None:
    by_name = columns({"meta": {"dataset": "x"}, "iters": [0, 100], "loss": [2.5, 1.5], "time_ms": [900, 31]})
    assert points(by_name["loss"]) == [(0, 2.5), (100, 1.5)]
    assert by_name["loss"].axis is Axis.STEP


def test_each_split_has_its_own_positions() -> None:
    by_name = columns(
        {"train_steps": [1, 2, 3], "train_loss": [3, 2, 1], "val_steps": [2, 3], "val_loss": [2.5, 1.5]}
    )
    assert points(by_name["train_loss"]) == [(1, 3), (2, 2), (3, 1)]
    assert points(by_name["val_loss"]) == [(2, 2.5), (3, 1.5)]
    assert set(by_name["train_loss"].rows.tolist()).isdisjoint(by_name["val_loss"].rows.tolist())


def test_nested_splits_stay_in_the_names() -> None:
    by_name = columns({"train": {"loss": [1, 0.9]}, "val": {"loss": [1.1, 1.0]}})
    assert points(by_name["train/loss"]) == [(0, 1), (1, 0.9)]
    assert by_name["val/loss"].axis is Axis.EPOCH


def test_positions_as_names_and_beside_each_value() -> None:
    by_name = columns({"loss": {"0": 0.5, "10": 0.4}, "acc": [[0, 0.1], [10, 0.2]]})
    assert points(by_name["loss"]) == [(0, 0.5), (10, 0.4)]
    assert points(by_name["acc"]) == [(0, 0.1), (10, 0.2)]


def test_tensorboard_download() -> None:
    by_name = columns(b"[[1700000000.5, 10, 0.5], [1700000001.5, 20, NaN]]")
    assert by_name["value"].steps.tolist() == [10, 20]
    assert by_name["value"].times is not None
    assert by_name["value"].times.tolist() == [1700000000.5, 1700000001.5]


def test_one_record_of_last_values() -> None:
    by_name = columns({"loss": 4.1297, "epoch": 0.09, "step": 13, "model": "gpt"})
    assert points(by_name["loss"]) == [(13, 4.1297)]


def test_several_runs() -> None:
    sgd, adam = logs(
        {"SGD": {"loss": [1, 0.9], "val_loss": [2, 1]}, "Adam": {"loss": [1, 0.5], "val_loss": [2, 1.5]}}
    )
    assert (sgd.run, adam.run) == ("SGD", "Adam")
    assert adam.columns[0].values.tolist() == [1, 0.5]
    first, second = logs(
        [{"name": "a", "train_loss": [1, 0.9], "lr": 0.1}, {"name": "b", "train_loss": [1, 0.5], "lr": 1}]
    )
    assert (first.run, second.run) == ("a", "b")
    assert second.settings == {"name": "b", "lr": 1}


def test_lists_of_records_in_an_object() -> None:
    (log,) = logs(
        {
            "train": [{"step": 1, "loss": 0.5}, {"step": 2, "loss": 0.4}],
            "val": [{"step": 2, "loss": 0.45}],
            "config": {"lr": 0.1},
        }
    )
    by_name = {column.name: points(column) for column in log.columns}
    assert by_name == {"train/loss": [(1, 0.5), (2, 0.4)], "val/loss": [(2, 0.45)]}
    assert log.settings == {"config.lr": 0.1}
    (log,) = logs({"log": [{"step": 1, "loss": 0.5}]})
    assert [column.name for column in log.columns] == ["loss"]


@pytest.mark.parametrize(
    "document",
    [
        {"loss": {"steps": [10, 20], "values": [0.5, 0.4], "timestamps": ["a", "b"]}},
        {"loss": {"x": [10, 20], "y": [0.5, 0.4]}},
        {"step_10": {"loss": 0.5}, "step_20": {"loss": 0.4}},
        {"columns": ["step", "loss"], "data": [[10, 0.5], [20, 0.4]]},
        {
            "metrics": [
                {"metricName": "loss", "metricValue": "0.5", "step": 10},
                {"metricName": "loss", "metricValue": "0.4", "step": 20},
            ]
        },
        [{"key": "loss", "value": 0.5, "step": 10}, {"key": "loss", "value": 0.4, "step": 20}],
    ],
)
def test_one_curve_in_many_shapes(document: object) -> None:
    assert READER.recognizes(in_memory("t", json.dumps(document).encode())) == 0.5
    assert points(columns(document)["loss"]) == [(10, 0.5), (20, 0.4)]


def test_a_torn_document() -> None:
    (log,) = logs(b'{"iters": [0, 1, 2], "loss": [3.5, 2.5, 1.')
    assert [event.kind for event in log.events] == [EventKind.TORN]
    assert {column.name: column.values.tolist() for column in log.columns} == {"loss": [3.5, 2.5]}


def test_documents_one_after_the_other() -> None:
    by_name = columns(b'{\n"step": 1,\n"loss": 0.5\n}\n{\n"step": 2,\n"loss": 0.4\n}\n')
    assert points(by_name["loss"]) == [(1, 0.5), (2, 0.4)]


def test_what_is_no_curve_is_unread() -> None:
    (log,) = logs({"loss": [0.5, 0.4], "confusion": [[1, 2, 3, 4], [5, 6, 7, 8]]})
    assert [(item.name, item.count) for item in log.unread] == [("confusion", 2)]


def test_settings_alone_are_hardly_a_log() -> None:
    assert READER.recognizes(in_memory("t", b'{"lr": 0.1, "loss": "mse", "layers": [64, 64]}')) < 0.1
    assert READER.recognizes(in_memory("t", SAMPLE)) == 0.5


@pytest.mark.parametrize("data", [b"{", b"[]", b"{}", b'{"a": "b"}', b"not json"])
def test_nothing_to_read_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableError):
        logs(data)


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.sampled_from(["NaN", "0.5", "train", "x"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["loss", "val_loss", "step", "epoch", "0", "1", "name", "a/b"]), inner
        )
    ),
    max_leaves=20,
)


@given(_JSON)
def test_whatever_the_document_it_reads_or_refuses(document: object) -> None:
    source = in_memory("t", json.dumps(document).encode())
    assert 0 <= READER.recognizes(source) <= 1
    try:
        logs_read = list(READER.read(source))
    except UnreadableError:
        return
    for column in (column for log in logs_read for column in log.columns):
        assert len(column.values) == len(column.steps) > 0


def test_curves_that_a_document_holds_twice_are_read_once() -> None:
    history = [{"step": n, "epoch": n / 2, "loss": 1 / n, "rewards/chosen": 0.1 * n} for n in (1, 2, 3)]
    total = {"step": 3, "epoch": 1.5, "train_loss": 0.6, "train_runtime": 9.0}
    apart = [{"step": n, "epoch": n / 2, "loss": 1 / n} for n in (1, 2, 3)]
    held_out = [{"step": n, "epoch": n / 2, "loss": 2 / n} for n in (1, 3)]
    document = {
        "raw_log_history": [*history, total],
        "series": {"train_loss": apart, "eval_loss": held_out},
        "eval_loss": held_out,
    }
    (log,) = logs(document)
    assert {column.name: column.values.tolist() for column in log.columns} == {
        "epoch": [0.5, 1.0, 1.5],
        "loss": [1.0, 0.5, 1 / 3],
        "rewards/chosen": [0.1, 0.2, 0.1 * 3],
        "eval_loss": [2.0, 2 / 3],
    }
