"""The `monitor.csv` of Stable-Baselines and Gym: one line per episode.

#{"t_start": 1699895683.208566, "env_id": "CartPole-v1"}
r,l,t
33.0,33,1.206015

r is the reward of the episode, l its length in steps, t the seconds since the start.
"""

from collections.abc import Iterator
from dataclasses import replace

from traindx import quantities as q
from traindx.errors import UnreadableError
from traindx.readers.tabular.json_values import decoded, flattened
from traindx.readers.tabular.lines import read_table
from traindx.readers.tabular.sheet_logs import Origin, log_of
from traindx.readers.types import Log, Reader, Source
from traindx.run import Scalar

_MEANS = {"r": q.REWARD, "l": q.EPISODE_LENGTH, "t": q.WALL_TIME}


def recognizes(source: Source) -> float:
    """Sure of a comment that is JSON, followed by the three letters."""
    first, _, rest = source.head.partition(b"\n")
    names = rest.partition(b"\n")[0].strip().split(b",")
    return 0.95 if first.startswith(b"#{") and names[:3] == [b"r", b"l", b"t"] else 0.0


def read(source: Source) -> Iterator[Log]:
    """One log, an episode per record."""
    sheet, events = read_table(source)
    if not sheet.cells:
        raise UnreadableError(source.path, "no finished episode yet")
    log = log_of(sheet, Origin(source.path, _settings(source.head), events))
    columns = tuple(replace(column, quantity=_MEANS.get(column.name)) for column in log.columns)
    yield replace(log, columns=columns)


def _settings(head: bytes) -> dict[str, Scalar]:
    try:
        comment = decoded(head.partition(b"\n")[0].strip().removeprefix(b"#"))
    except ValueError:
        return {}
    return dict(flattened(comment)) if isinstance(comment, dict) else {}


READER = Reader("sb3_monitor", "Stable-Baselines monitor.csv", recognizes, read)
