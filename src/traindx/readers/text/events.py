"""What happened on the way: overflows, the exceptions that ended a run, and who or what stopped it.

RuntimeError: CUDA error: device-side assert triggered       the last line of a traceback
Segmentation fault (core dumped)                             what the system or a library says without one
KeyboardInterrupt, SIGTERM, DUE TO TIME LIMIT                somebody or something stopped it
"""

import re
from collections.abc import Iterator

import numpy as np

from traindx.readers.text.clock import AXES, Clock
from traindx.readers.text.gather import LogTally
from traindx.readers.text.prefix import message_of
from traindx.readers.text.remarks import Kind
from traindx.run import Axis, Event, EventKind

_SIGNALS = re.compile(
    r"KeyboardInterrupt|SIGTERM|SIGINT|SIGKILL|got signal: ?(?:2|9|15)\b|\bsignal (?:2|9|15)\b"
    r"|^(?:\S+: line \d+: +\d+ )?(?:Killed|Terminated)\b|slurmstepd: error: .*CANCELLED|DUE TO TIME LIMIT"
    r"|\bexitcode\s*:\s*-(?:2|9|15)\b"
)
_FATAL = re.compile(
    r"CUDA (?:error|out of memory)\b|device-side assert triggered|CUDA_ERROR_\w+|NCCL error\b"
    r"|terminate called after throwing |Segmentation fault|Bus error|Illegal instruction"
    r"|Floating point exception|Aborted \(core dumped\)|ResourceExhaustedError"
    r"|RESOURCE_EXHAUSTED: Out of memory|XlaRuntimeError:"
)
_LONGEST = 200
_NEAR_END = 60
"""So many lines after it a program may still say how to look into the exception that ended it."""


def events_of(found: LogTally, clock: Clock, last_record: int) -> tuple[Event, ...]:
    """The overflows on the way, the crashes, and how the run ended."""
    overflows = [line for line, remark in found.remarks if remark.kind is Kind.OVERFLOW]
    says = "gradient overflow, step skipped"
    return (
        *(Event(EventKind.OVERFLOW, says, _step_at(clock, line)) for line in overflows),
        *_crashes(found, clock, last_record),
        *_interruption(found, clock, last_record),
        *([Event(EventKind.TORN, "the last line is incomplete", _step_at(clock, last_record))] * found.torn),
    )


def _step_at(clock: Clock, line: int) -> float | None:
    """The step a line stands at, if the log counts steps."""
    steps = clock.axes == AXES.index(Axis.STEP)
    at = int(np.searchsorted(clock.lines[steps], line, side="right")) - 1
    return float(clock.positions[steps][at]) if at >= 0 else None


def ends_in_exception(found: LogTally) -> bool:
    """Whether a log that holds no records tells at its end why."""
    if found.raised and found.raised[-1][0] > found.lines - _NEAR_END:
        return True
    return any(number > found.lines - _NEAR_END for number, _ in _deaths(found))


def _deaths(found: LogTally) -> Iterator[tuple[int, str]]:
    """The last lines in which a library or the system says that the program died, without a traceback."""
    for number, line in found.tail:
        if fatal := _FATAL.search(line):
            yield number, line[fatal.start() :].strip()


def _crashes(found: LogTally, clock: Clock, last_record: int) -> Iterator[Event]:
    """The exceptions that ended the run or made it start over; programs also print those they survive."""
    told: set[tuple[str, int]] = set()
    for line, raised in found.raised:
        place = int(clock.before(np.array([line]))[0])
        fatal = line > last_record or _starts_over(clock, place)
        if fatal and (raised, place) not in told and not _SIGNALS.search(raised):  # each rank prints it
            told.add((raised, place))
            yield Event(EventKind.EXCEPTION, raised[:_LONGEST], _step_at(clock, line))
    if not any(line > last_record for line, _ in found.raised):
        died = next(((line, says) for line, says in _deaths(found) if line > last_record), None)
        if died is not None:
            yield Event(EventKind.EXCEPTION, died[1][:_LONGEST], _step_at(clock, died[0]))


def _starts_over(clock: Clock, place: int) -> bool:
    """Whether the positions go back after a place."""
    after = place + 1
    if place < 0 or after >= len(clock) or clock.axes[place] != clock.axes[after]:
        return False
    return bool(clock.positions[after] < clock.positions[place])


def _interruption(found: LogTally, clock: Clock, last_record: int) -> Iterator[Event]:
    """The first sign after the last record that somebody or something stopped the run."""
    for number, line in found.tail:
        message = message_of(line).strip()
        if number > last_record and _SIGNALS.search(message):
            yield Event(EventKind.INTERRUPTED, message[:_LONGEST], _step_at(clock, last_record))
            return
