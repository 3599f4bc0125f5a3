import json
import math

import pytest

from traindx.errors import UnreadableError
from traindx.readers.hf_trainer_state import READER
from traindx.readers.loading.files import in_memory
from traindx.readers.types import Log
from traindx.run import EventKind

_HISTORY: list[dict[str, float]] = [
    {"epoch": 0.5, "grad_norm": 1.25, "learning_rate": 5e-05, "loss": 2.5, "step": 10},
    {"epoch": 1.0, "grad_norm": math.nan, "learning_rate": 2.5e-05, "loss": 0.0, "step": 20},
    {"epoch": 1.0, "eval_g0_loss": 2.25, "eval_g0_runtime": 1.5, "step": 20},
    {"epoch": 1.0, "eval_g1_loss": 3.5, "eval_g1_runtime": 1.5, "step": 20},
    {"epoch": 1.5, "grad_norm": 1.5, "learning_rate": 1e-05, "loss": 1.5, "step": 30},
    {"epoch": 1.5, "step": 30, "total_flos": 1.0, "train_loss": 1.33, "train_runtime": 12.5},
]
_STATE = {
    "best_metric": None,
    "global_step": 30,
    "max_steps": 40,
    "train_batch_size": 8,
    "log_history": _HISTORY,
}
SAMPLE = json.dumps(_STATE, indent=2).encode()


def one_log(data: bytes) -> Log:
    (log,) = READER.read(in_memory("trainer_state.json", data))
    return log


def test_the_history_is_rows() -> None:
    by_name = {column.name: column for column in one_log(SAMPLE).columns}
    assert by_name["loss"].steps.tolist() == [10, 20, 30]
    assert by_name["loss"].values.tolist() == [2.5, 0.0, 1.5]
    assert math.isnan(by_name["grad_norm"].values[1])
    assert by_name["eval_g1_loss"].steps.tolist() == [20]
    assert by_name["epoch"].values.tolist() == [0.5, 1.0, 1.0, 1.0, 1.5]


def test_the_summary_is_no_point_of_a_curve() -> None:
    log = one_log(SAMPLE)
    assert "train_loss" not in {column.name for column in log.columns}
    assert log.settings["train_loss"] == 1.33
    assert log.settings["max_steps"] == 40
    assert log.smoothing == "mean since the last log entry"


def test_a_torn_file_keeps_its_whole_rows() -> None:
    log = one_log(SAMPLE[: SAMPLE.index(b'"eval_g1_loss"')])
    assert [event.kind for event in log.events] == [EventKind.TORN]
    by_name = {column.name: column.values.tolist() for column in log.columns}
    assert by_name["loss"] == [2.5, 0.0]
    assert by_name["eval_g0_loss"] == [2.25]


@pytest.mark.parametrize(
    "data", [b'{"log_history": []}', b'{"log_history": 3}', b'{"log_history"', b"[1]", b"x"]
)
def test_an_empty_history_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableError):
        one_log(data)
