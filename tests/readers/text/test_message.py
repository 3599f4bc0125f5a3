import pytest

from traindx.readers.text.lines import parted
from traindx.readers.text.message import message_of, prefix_of


@pytest.mark.parametrize(
    "line",
    [
        "2023-06-28 18:51:14 | INFO | step 5",
        "2023-06-28T18:51:14.123Z step 5",
        "[2023-06-28 18:51:14,123] [INFO] [train.py:12:main] step 5",
        "[rank0]:[titan] 2026-05-22 19:02:33,486 - root - INFO - step 5",
        "W0318 14:37:59.159000 871689 site-packages/torch/run.py:852] step 5",
        "INFO:tensorflow:step 5",
        "INFO - 09/04/20 07:55:48 - 0:00:00 - step 5",
        "2025-12-27 22:12:56.867\tfin-03:0\tolmo.train:990\tINFO\tstep 5",
        "[default3]:step 5",
        "(RayTrainWorker pid=1234, ip=10.0.0.1) step 5",
        "Jan 05 10:00:00 step 5",
        ">>> step 5",
        "step 5",
    ],
)
def test_where_the_message_begins(line: str) -> None:
    assert message_of(line) == "step 5"


def test_ranks() -> None:
    assert prefix_of(parted("[rank3]: step 5")[0]).rank == 3
    assert prefix_of(parted("[Rank 7] step 5")[0]).rank_hole == 0
    assert prefix_of(parted("[1,2]<stdout>: step 5")[0]).rank_hole == 1
    assert prefix_of(parted("step 5 of rank 3")[0]).rank is None
    assert prefix_of(parted("loss: 5 [rank0]")[0]).rank is None


def test_a_word_of_the_message_is_no_level() -> None:
    assert message_of("epoch 3 loss=0.5 INFO: done") == "epoch 3 loss=0.5 INFO: done"
