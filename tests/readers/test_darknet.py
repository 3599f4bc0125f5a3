from pathlib import Path

import traindx
from traindx.quantities import LEARNING_RATE, TRAIN_LOSS
from traindx.readers.darknet import READER
from traindx.readers.types import Source

SAMPLE = b"""yolov3
Learning Rate: 0.001, Momentum: 0.9, Decay: 0.0005
Region 82 Avg IOU: 0.297, Class: 0.51, Obj: 0.50, No Obj: 0.50, .5R: 0.00, .75R: 0.00,  count: 9
 1: 1204.911743, 1204.911743 avg, 0.000000 rate, 4.215412 seconds, 64 images
Region 94 Avg IOU: 0.311, Class: 0.50, Obj: 0.49, No Obj: 0.50, .5R: 0.10, .75R: 0.00,  count: 4
 2: -nan, -nan avg, 0.000100 rate, 4.120325 seconds, 128 images
"""


def test_records_become_columns() -> None:
    (log,) = READER.read(Source("sample", SAMPLE, SAMPLE))
    columns = {column.name: column for column in log.columns}
    assert columns["loss"].steps.tolist() == [1, 2]
    assert columns["loss"].values[0] == 1204.911743
    assert columns["loss"].values[1] != columns["loss"].values[1]  # NaN is data
    assert columns["images"].values.tolist() == [64, 128]


def test_it_becomes_a_run(tmp_path: Path) -> None:
    path = tmp_path / "yolo.out"
    path.write_bytes(SAMPLE)
    (run,) = traindx.load(path)
    assert run[TRAIN_LOSS].first_bad_step == 2
    assert run[LEARNING_RATE].values.tolist() == [0, 0.0001]
