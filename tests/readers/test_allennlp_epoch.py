import json
from pathlib import Path

import pytest

from traindx.errors import UnreadableError
from traindx.readers.allennlp_epoch import READER
from traindx.readers.loading.files import in_memory
from traindx.readers.types import Source
from traindx.run import Axis


def metrics(epoch: int) -> bytes:
    record = {
        "best_epoch": 0,
        "training_duration": "0:07:35.750313",
        "training_start_epoch": 0,
        "training_epochs": epoch,
        "epoch": epoch,
        "training_loss": 0.5 / (epoch + 1),
        "validation_loss": 0.75,
        "validation_accuracy": 0.5,
    }
    return json.dumps(record, indent=2).encode()


SAMPLE = metrics(3)


def test_a_file_is_one_row_at_its_epoch() -> None:
    (log,) = READER.read(in_memory("metrics_epoch_3.json", SAMPLE))
    columns = {column.name: column for column in log.columns}
    assert columns["training_loss"].values.tolist() == [0.125]
    assert columns["training_loss"].steps.tolist() == [3]
    assert columns["training_loss"].axis is Axis.EPOCH
    assert [item.name for item in log.unread] == ["training_duration"]
    assert READER.spans_folder


def test_the_file_that_repeats_the_last_epoch_is_no_row(tmp_path: Path) -> None:
    for name in ("metrics_epoch_1.json", "metrics.json"):
        (tmp_path / name).write_bytes(metrics(1))
    own, repeated = (
        next(iter(READER.read(Source(str(tmp_path / name), metrics(1)))))
        for name in ("metrics_epoch_1.json", "metrics.json")
    )
    assert own.columns
    assert repeated.columns == ()
    assert repeated.settings["training_loss"] == 0.25


def test_what_is_no_object_is_refused() -> None:
    with pytest.raises(UnreadableError):
        list(READER.read(in_memory("x", b"[1, 2]")))
