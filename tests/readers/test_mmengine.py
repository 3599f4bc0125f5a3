from traindx.readers.loading.files import in_memory
from traindx.readers.mmengine import READER
from traindx.readers.types import Column, Log
from traindx.run import Axis

_NEW = (
    '{{"lr": 0.02, "data_time": 0.1, "loss": {loss}, "time": 0.3, "epoch": {e}, "iter": {i}, "step": {i}}}\n'
)
SAMPLE = "".join(
    [
        _NEW.format(loss=0.9, e=1, i=50),
        _NEW.format(loss=0.8, e=1, i=100),
        '{"coco/bbox_mAP": 0.1, "step": 1}\n',
        _NEW.format(loss=0.7, e=2, i=150),
        '{"coco/bbox_mAP": 0.2, "step": 2}\n',
    ]
).encode()

_CONFIG = '{"env_info": "Python: 3.8", "config": "model = dict()", "seed": 3, "exp_name": "a.py"}\n'
_OLD = '{{"mode": "{mode}", "epoch": {epoch}, "iter": {iter}, "lr": 0.1, "{name}": {value}}}\n'


def old(*rows: tuple[str, int, int, str, float]) -> bytes:
    names = ("mode", "epoch", "iter", "name", "value")
    return (_CONFIG + "".join(_OLD.format(**dict(zip(names, row, strict=True))) for row in rows)).encode()


def read(data: bytes) -> tuple[Log, dict[str, Column]]:
    (log,) = READER.read(in_memory("scalars.json", data))
    return log, {
        f"{column.name} {column.split.value if column.split else ''}": column for column in log.columns
    }


def test_validation_rows_of_mmengine_state_the_epoch() -> None:
    log, columns = read(SAMPLE)
    assert columns["loss train"].steps.tolist() == [50, 100, 150]
    assert columns["loss train"].axis is Axis.STEP
    accuracy = columns["coco/bbox_mAP val"]
    assert (accuracy.steps.tolist(), accuracy.values.tolist()) == ([1, 2], [0.1, 0.2])
    assert accuracy.axis is Axis.EPOCH
    assert accuracy.rows.tolist() == [2, 4]
    assert log.smoothing == "mean of the last 10 steps"


def test_validation_rows_of_an_iteration_based_run_state_the_step() -> None:
    text = (
        SAMPLE.replace(b'"epoch": 1, ', b"")
        .replace(b'"epoch": 2, ', b"")
        .replace(b'"step": 2}', b'"step": 150}')
    )
    _, columns = read(text)
    assert columns["coco/bbox_mAP val"].axis is Axis.STEP
    assert columns["coco/bbox_mAP val"].steps.tolist() == [1, 150]


def test_mmcv_counts_within_the_epoch() -> None:
    log, columns = read(
        old(
            ("train", 1, 50, "loss", 0.9),
            ("train", 1, 100, "loss", 0.8),
            ("val", 1, 20, "bbox_mAP", 0.1),
            ("train", 2, 50, "loss", 0.7),
            ("train", 2, 100, "loss", 0.6),
            ("val", 2, 20, "bbox_mAP", 0.2),
        )
    )
    assert columns["loss train"].steps.tolist() == [50, 100, 150, 200]
    assert columns["bbox_mAP val"].axis is Axis.EPOCH
    assert columns["bbox_mAP val"].steps.tolist() == [1, 2]
    assert log.settings["exp_name"] == "a.py"
    assert log.smoothing == "mean since the last log entry"


def test_mmcv_by_iterations() -> None:
    _, columns = read(
        old(
            ("train", 1, 4000, "loss", 0.9),
            ("train", 1, 8000, "loss", 0.8),
            ("val", 1, 500, "mIoU", 0.1),
            ("train", 2, 12000, "loss", 0.7),
        )
    )
    assert columns["loss train"].steps.tolist() == [4000, 8000, 12000]
    assert (columns["mIoU val"].steps.tolist(), columns["mIoU val"].axis) == ([8000], Axis.STEP)


def test_a_single_record_after_the_configuration() -> None:
    _, columns = read(old(("train", 1, 50, "loss", 0.9)))
    assert columns["loss train"].values.tolist() == [0.9]
