"""When a program has taken the steps it may, with one stream of steps and with several."""

from dataclasses import dataclass
from typing import cast

import pytest

from traindx.recorder.limit import StepLimit
from traindx.recorder.stream import Stream


@dataclass
class Steps:
    """As much of a stream as is counted."""

    number: int
    step: int = 0


def taken(most: int, turns: str) -> str:
    """The turns that are taken before the limit ends them; each letter is a step of one stream."""
    limit, streams = StepLimit(most), {name: Steps(number) for number, name in enumerate("ABC", start=1)}
    for place, name in enumerate(turns, start=1):
        streams[name].step += 1
        limit.stepped(cast(Stream, streams[name]))
        if limit.reached:
            return turns[:place]
    return turns


@pytest.mark.parametrize(
    ("most", "turns", "expected"),
    [
        (1, "AAAA", "A"),
        (3, "AAAA", "AAA"),
        (9, "AAAA", "AAAA"),
        # In turn: the one with most steps counts.
        (3, "ABABABAB", "ABABA"),
        (4, "AABAABAAB", "AABAA"),
        (4, "ABBABBABB", "ABBABB"),
        # One after the other: steps count on.
        (5, "AAABBBCCC", "AAABB"),
        (7, "AAABBBCCC", "AAABBBC"),
        # One that began alone, before the other joined it.
        (6, "AAABABABABAB", "AAABABABA"),
    ],
)
def test_steps_until_the_limit(most: int, turns: str, expected: str) -> None:
    assert taken(most, turns) == expected


def test_a_stream_may_take_what_is_left() -> None:
    limit, first, second = StepLimit(10), Steps(1, step=4), Steps(2, step=1)
    limit.stepped(cast(Stream, first))
    assert limit.left(cast(Stream, first)) == 6
    limit.stepped(cast(Stream, second))
    assert limit.left(cast(Stream, second)) == 5


def test_without_a_limit_there_is_no_end() -> None:
    limit, stream = StepLimit(), Steps(1, step=10**9)
    limit.stepped(cast(Stream, stream))
    assert not limit.reached
    assert limit.left(cast(Stream, stream)) > 10**9
