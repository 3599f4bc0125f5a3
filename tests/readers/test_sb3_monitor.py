import pytest

from traindx import quantities as q
from traindx.errors import UnreadableError
from traindx.readers.loading.files import in_memory
from traindx.readers.sb3_monitor import READER
from traindx.run import Axis

SAMPLE = b"""#{"t_start": 1699895683.2, "env_id": "CartPole-v1"}\r
r,l,t\r
33.0,33,1.206015\r
25.0,25,1.750405\r
-11.0,11,2.001944\r
"""


def test_an_episode_is_a_record() -> None:
    (log,) = READER.read(in_memory("monitor.csv", SAMPLE))
    columns = {column.quantity: column for column in log.columns}
    assert columns[q.REWARD].values.tolist() == [33, 25, -11]
    assert columns[q.EPISODE_LENGTH].values.tolist() == [33, 25, 11]
    assert columns[q.WALL_TIME].values.tolist() == [1.206015, 1.750405, 2.001944]
    assert columns[q.REWARD].axis is Axis.RECORD
    assert log.settings == {"t_start": 1699895683.2, "env_id": "CartPole-v1"}


def test_no_episode_yet() -> None:
    with pytest.raises(UnreadableError, match="no finished episode yet"):
        list(READER.read(in_memory("monitor.csv", SAMPLE[: SAMPLE.index(b"33.0")])))


def test_a_broken_comment_costs_the_settings_only() -> None:
    (log,) = READER.read(in_memory("monitor.csv", SAMPLE.replace(b'"}', b"")))
    assert log.settings == {}
    assert len(log.columns) == 3
