import math

from traindx.readers.loading.files import in_memory
from traindx.readers.yolo_results_text import READER
from traindx.run import Axis, EventKind

_REST = "   0.01323   0.04263    0.1069        46       640"
_REST += "    0.5416    0.1275   0.09008   0.05217   0.05296    0.0138"
SAMPLE = (
    f"       0/299     2.54G   0.07108{_REST}   0.04581\n"
    f"       1/299     2.61G   0.06502{_REST}       nan\n"
    f"       2/299     2.61G   0.06001{_REST}   0.04400\n"
).encode()


def test_the_columns_have_the_names_of_later_versions() -> None:
    (log,) = READER.read(in_memory("results.txt", SAMPLE))
    columns = {column.name: column for column in log.columns}
    assert columns["train/box_loss"].values.tolist() == [0.07108, 0.06502, 0.06001]
    assert columns["train/box_loss"].steps.tolist() == [0, 1, 2]
    assert columns["train/box_loss"].axis is Axis.EPOCH
    assert columns["metrics/mAP_0.5"].values.tolist() == [0.09008] * 3
    assert columns["gpu_mem"].values.tolist() == [2.54, 2.61, 2.61]
    assert math.isnan(columns["val/cls_loss"].values[1])
    assert log.settings == {"epochs": 300}
    assert len(columns) == 14


def test_a_torn_line_and_another_width() -> None:
    (log,) = READER.read(in_memory("results.txt", SAMPLE[:-30]))
    assert [event.kind for event in log.events] == [EventKind.TORN]
    assert len(log.columns[0].values) == 2
    wide = b"\n".join(line + b"  0.5" for line in SAMPLE.splitlines())
    (log,) = READER.read(in_memory("results.txt", wide))
    assert [column.name for column in log.columns][:2] == ["gpu_mem", "column 3"]


def test_progress_bars_are_no_results() -> None:
    assert READER.recognizes(in_memory("x", b"   1/10  [00:22<54:11, loss=10.8]\n")) == 0
