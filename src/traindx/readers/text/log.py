"""Lines of text to a log: what every reader does whose numbers stand in running text.

What boosted trees print tells the library, which trains no network:

[20]    valid's binary_logloss: 0.5333                                LightGBM
[10]    train-rmse:0.71    validation_0-rmse:0.82                     XGBoost
0:      learn: 0.69   test: 0.68   best: 0.68 (0)   total: 1.2ms      CatBoost

What happened on the way are overflows, the exceptions that ended a run, and who or what stopped it:

RuntimeError: CUDA error: device-side assert triggered       the last line of a traceback
Segmentation fault (core dumped)                             what the system or a library says without one
KeyboardInterrupt, SIGTERM, DUE TO TIME LIMIT                somebody or something stopped it
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from traindx.errors import UnreadableError
from traindx.facts import FRAMEWORK
from traindx.format import count
from traindx.readers.names.vocabulary import fact_of
from traindx.readers.text.annotations import Kind, settings_of
from traindx.readers.text.columns import columns_of_records
from traindx.readers.text.lines import LONGEST
from traindx.readers.text.message import message_of
from traindx.readers.text.patterns import Pattern, Place
from traindx.readers.text.positions import AXES, Clock
from traindx.readers.text.records import records_of
from traindx.readers.text.tallies import LogTally, gather
from traindx.readers.types import Log
from traindx.run import Axis, Event, EventKind, Fact, Scalar, Skipped

_BY_NAMES: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"loss", "learning_rate"}), "mean since the last record"),
    (frozenset({"time", "data", "max mem"}), "median of 20 steps"),
    (frozenset({"elapsed time per iteration (ms)"}), "mean since the last record"),
    (frozenset({"wps", "ups", "wpb"}), "mean since the last record"),
)


def _smoothing_of(patterns: Iterable[Pattern]) -> str:
    """How the values of a log were smoothed before they were printed, where the producer is known."""
    for pattern in patterns:
        if pattern.at(Place.PASS):
            return "running mean over the epoch"
        names = {pair.name for pair in pattern.pairs}
        known = next((smoothing for signature, smoothing in _BY_NAMES if signature <= names), "")
        if known and pattern.positions:
            return known
    return ""


def log_of_lines(
    path: str,
    lines: Iterable[str],
    settings: Mapping[str, Scalar] | None = None,
    facts: Mapping[Fact, Scalar] | None = None,
) -> Log:
    """Read whatever in the lines has a name, a number and a place in the run.

    `settings` and `facts` are what the place where the lines stand tells.
    """
    tally = gather(lines)
    records = records_of(tally)
    columns, summaries = columns_of_records(records.placed)
    if not columns and not _ends_in_exception(tally):
        raise UnreadableError(
            path,
            f"no metrics found in {count(tally.lines, 'line')} of text",
            "expected lines with a step or epoch and a named value, such as: step 10 loss 0.5",
        )
    patterns = [placed.sheet.pattern for placed in records.placed]
    framework = _framework_of(patterns, (*tally.preamble, *(line for _, line in tally.tail)))
    last_record = max((int(placed.sheet.lines[-1]) for placed in records.placed), default=0)
    settings = {**(settings or {}), **settings_of(tally.preamble)}
    stated = {fact_of(name) for name in settings}
    return Log(
        path,
        columns,
        # What the program says it was set to counts more than what its lines count up to.
        {**settings, **{name: plan for name, plan in records.plans.items() if fact_of(name) not in stated}},
        _events_of(tally, records.clock, last_record),
        (*records.unread, *summaries, *_cut(tally.cut)),
        _smoothing_of(patterns),
        facts={**({FRAMEWORK: framework} if framework else {}), **(facts or {})},
    )


def _cut(lines: int) -> tuple[Skipped, ...]:
    why = f"only the first {LONGEST} characters of each were read"
    return (Skipped("very long lines", lines, why),) if lines else ()


_BY_MARK = (
    ("lightgbm", re.compile(r"\[LightGBM\] \[")),
    ("xgboost", re.compile(r"XGBoostError|WARNING: .*xgboost")),
)
_BY_WORD = re.compile(r"(?i)\b(lightgbm|xgboost|catboost)\b")
_LIGHTGBM = re.compile(r"\w+'s [\w@.]+")
_XGBOOST = re.compile(r"(?:train|dtrain|test|dtest|eval|valid|val|validation)(?:_\d+)?-[a-z]\w*(?:@[\w.]+)?")
_CATBOOST = frozenset({"learn", "total"})


def _framework_of(patterns: Sequence[Pattern], lines: Iterable[str]) -> str:
    """The library of boosted trees that printed the records, or nothing if none is known to have."""
    for pattern in patterns:
        counted = pattern.at(Place.LEAD, Place.STEP)
        if counted is None or counted.name:
            continue
        names = [pair.name.split(" +")[0] for pair in pattern.pairs]
        if any(map(_LIGHTGBM.fullmatch, names)):
            return "lightgbm"
        if names and all(map(_XGBOOST.fullmatch, names)):
            return "xgboost"
        if _CATBOOST.issubset(names):
            return "catboost"
    counts = any(pattern.positions for pattern in patterns)
    for line in () if counts else lines:
        marked = next((name for name, mark in _BY_MARK if mark.search(line)), "")
        if marker := marked or ((word := _BY_WORD.search(line)) and word[1].lower()):
            return marker
    return ""


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


def _events_of(tally: LogTally, clock: Clock, last_record: int) -> tuple[Event, ...]:
    """The overflows on the way, the crashes, and how the run ended."""
    overflows = [line for line, annotation in tally.annotations if annotation.kind is Kind.OVERFLOW]
    says = "gradient overflow, step skipped"
    return (
        *(Event(EventKind.OVERFLOW, says, _step_at(clock, line)) for line in overflows),
        *_crashes(tally, clock, last_record),
        *_interruption(tally, clock, last_record),
        *([Event(EventKind.TORN, "the last line is incomplete", _step_at(clock, last_record))] * tally.torn),
    )


def _step_at(clock: Clock, line: int) -> float | None:
    """The step a line stands at, if the log counts steps."""
    steps = clock.axes == AXES.index(Axis.STEP)
    at = int(np.searchsorted(clock.lines[steps], line, side="right")) - 1
    return float(clock.positions[steps][at]) if at >= 0 else None


def _ends_in_exception(tally: LogTally) -> bool:
    """Whether a log that holds no records tells at its end why."""
    if tally.raised and tally.raised[-1][0] > tally.lines - _NEAR_END:
        return True
    return any(number > tally.lines - _NEAR_END for number, _ in _deaths(tally))


def _deaths(tally: LogTally) -> Iterator[tuple[int, str]]:
    """The last lines in which a library or the system says that the program died, without a traceback."""
    for number, line in tally.tail:
        if fatal := _FATAL.search(line):
            yield number, line[fatal.start() :].strip()


def _crashes(tally: LogTally, clock: Clock, last_record: int) -> Iterator[Event]:
    """The exceptions that ended the run or made it start over; programs also print those they survive."""
    reported: set[tuple[str, int]] = set()
    for line, raised in tally.raised:
        index = int(clock.before(np.array([line]))[0])
        fatal = line > last_record or _starts_over(clock, index)
        if fatal and (raised, index) not in reported and not _SIGNALS.search(raised):  # each rank prints it
            reported.add((raised, index))
            yield Event(EventKind.EXCEPTION, raised[:_LONGEST], _step_at(clock, line))
    if not any(line > last_record for line, _ in tally.raised):
        died = next(((line, says) for line, says in _deaths(tally) if line > last_record), None)
        if died is not None:
            yield Event(EventKind.EXCEPTION, died[1][:_LONGEST], _step_at(clock, died[0]))


def _starts_over(clock: Clock, index: int) -> bool:
    """Whether the positions go back after a place."""
    after = index + 1
    if index < 0 or after >= len(clock) or clock.axes[index] != clock.axes[after]:
        return False
    return bool(clock.positions[after] < clock.positions[index])


def _interruption(tally: LogTally, clock: Clock, last_record: int) -> Iterator[Event]:
    """The first sign after the last record that somebody or something stopped the run."""
    for number, line in tally.tail:
        message = message_of(line).strip()
        if number > last_record and _SIGNALS.search(message):
            yield Event(EventKind.INTERRUPTED, message[:_LONGEST], _step_at(clock, last_record))
            return
