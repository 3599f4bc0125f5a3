from traindx.readers.detectron2 import READER
from traindx.readers.loading.files import in_memory
from traindx.run import Axis

_ROW = '{{"data_time": 0.01, "eta_seconds": {eta}, "iteration": {it}, "lr": 1e-05, "total_loss": {loss}}}\n'
SAMPLE = "".join(
    [
        _ROW.format(eta=800.5, it=19, loss=4.5),
        _ROW.format(eta=790.5, it=39, loss=4.25),
        '{"bbox/AP": 31.5, "bbox/AP50": NaN, "iteration": 39}\n',
        _ROW.format(eta=805.5, it=19, loss=4.75),
    ]
).encode()


def test_restarts_show_as_iterations_that_go_back() -> None:
    (log,) = READER.read(in_memory("metrics.json", SAMPLE))
    columns = {column.name: column for column in log.columns}
    assert columns["total_loss"].steps.tolist() == [19, 39, 19]
    assert columns["total_loss"].values.tolist() == [4.5, 4.25, 4.75]
    assert columns["total_loss"].axis is Axis.STEP
    assert (columns["bbox/AP"].steps.tolist(), columns["bbox/AP"].rows.tolist()) == ([39], [2])
    assert log.smoothing == "median of 20 steps"


def test_other_records_are_not_claimed() -> None:
    assert READER.recognizes(in_memory("x", b'{"iteration": 1, "loss": 2.0, "lr": 0.1}\n')) == 0
