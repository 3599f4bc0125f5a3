"""The first pass over a text log: which shapes of lines there are, and the numbers of each.

Nothing is decided here. Numbers are kept in arrays by shape, so that a log of millions of lines stays small.
"""

import re
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice

from traindx.readers.text.annotations import Annotation, Kind, annotation_of, section_of
from traindx.readers.text.lines import HOLE, LONGEST, REDRAWN, UNFINISHED, Normal, normal_of, parted
from traindx.readers.text.message import message_of
from traindx.readers.text.pairs import pattern_of
from traindx.readers.text.patterns import Pattern, Tally
from traindx.readers.text.tables import (
    folded,
    is_heading,
    is_metric_row,
    is_row,
    is_rule,
    metric_row,
    splits_of,
    table_row,
)
from traindx.run import Split

_MOST_SHAPES = 50_000
_PREAMBLE = 20_000


_TAIL = 2_000
_WIDEST_TAIL = 400
_HEADING_WITHIN = 6
_MOST_TALLIES = 20_000
_MANY_TALLIES = 2_000
_MOST_RAISED = 1_000


@dataclass
class LogTally:
    """What the first pass over a log found."""

    tallies: list[Tally] = field(default_factory=list)
    annotations: list[tuple[int, Annotation]] = field(default_factory=list)
    raised: list[tuple[int, str]] = field(default_factory=list)
    """The last line of every traceback."""
    preamble: list[str] = field(default_factory=list)
    """The lines before the first record: the settings of the run stand there."""
    tail: deque[tuple[int, str]] = field(default_factory=lambda: deque(maxlen=_TAIL))
    """The last lines: how the run ended stands there."""
    lines: int = 0
    cut: int = 0
    """How many lines were too long to be looked at as a whole."""
    torn: bool = False
    """Whether the log breaks off in the middle of a record."""


@dataclass
class _Sort:
    """What is known of all lines of one shape."""

    tally: Tally | None = None
    annotation: Annotation | None = None
    row: bool = False
    """Whether the names of its numbers stand in the lines above."""
    metric_row: bool = False
    """Whether it is one name and a number for each split that a line above names."""
    splits: tuple[Split, ...] = ()
    """The splits that it names as headings of a table."""
    open: bool = False
    """Whether the record goes on in the next line."""

    tells: bool = False
    """Whether there is anything to remember its lines for."""
    plain: Tally | None = None
    """The tally, where the lines tell nothing else: most lines of a log are of this sort."""


@dataclass
class _State:
    """What has to be remembered from line to line."""

    normals: dict[str, tuple[Normal, _Sort]] = field(default_factory=dict)
    sorts: dict[str, _Sort] = field(default_factory=dict)
    rows: dict[tuple[str, str], Tally | None] = field(default_factory=dict)
    splits: tuple[Split, ...] = ()
    heading: str = ""
    held: str = ""
    last_row: int = 0
    repeats: int = 0
    traceback: bool = False
    begun: bool = False


@dataclass(frozen=True)
class _Line:
    """A line that is worth a closer look."""

    text: str
    shape: str
    numbers: list[str]
    mark: str


def gather(lines: Iterable[str]) -> LogTally:
    """Sort the numbers of a log by the shape of their lines."""
    tally, state = LogTally(), _State()
    for raw in folded(lines):
        mark = raw[-1:]
        line = raw[:-1] if mark in (REDRAWN, UNFINISHED) else raw
        if state.held:
            line = _joined(tally, state, line)
        if len(line) > LONGEST:
            line = line[:LONGEST]
            tally.cut += 1
        _take(tally, state, line, mark)
    if state.held:
        _take(tally, state, state.held, "", closed=True)
    return tally


def _joined(tally: LogTally, state: _State, line: str) -> str:
    """Put a line to the record it continues; what it does not continue ends there."""
    held, state.held = state.held, ""
    if "|" in line and not _BAR_RECORD.search(line) and len(held) < LONGEST:
        return held + line
    _take(tally, state, held, "", closed=True)
    return line


def _take(tally: LogTally, state: _State, line: str, mark: str, *, closed: bool = False) -> None:
    tally.lines += 1
    tally.tail.append((tally.lines, line[:_WIDEST_TAIL]))
    shape, spelled = parted(line)
    known = state.normals.get(shape)
    if known is None:
        known = _known(tally, state, shape)
        if mark == UNFINISHED and _is_begun(known[0].shape, state.sorts):
            tally.torn = True
            return
    normal, sort = known
    if sort.open and not closed and mark != UNFINISHED:
        state.held = line
        return
    if state.traceback:
        _look_for_exception(tally, state, line)
    numbers = normal.numbers(spelled) if normal.words else spelled
    if sort.plain is not None and state.begun and mark != UNFINISHED and tally.lines != state.repeats:
        sort.plain.add(tally.lines, numbers, mark == REDRAWN)
    elif sort.tells:
        _keep(tally, state, sort, _Line(line, normal.shape, numbers, mark))
    if not state.begun and len(tally.preamble) < _PREAMBLE:
        tally.preamble.append(line)


def _keep(gathered: LogTally, state: _State, sort: _Sort, line: _Line) -> None:
    """Keep what a line of a telling sort tells."""
    if sort.annotation:
        gathered.annotations.append((gathered.lines, sort.annotation))
    if sort.splits:
        state.splits = sort.splits
    repeated = state.repeats == gathered.lines
    kind = sort.annotation.kind if sort.annotation else None
    if kind is Kind.REPEAT:
        state.repeats = gathered.lines + 1
    elif kind is Kind.TRACEBACK:
        state.traceback = True
    tally = sort.tally
    if sort.row or sort.metric_row:
        tally = _row_tally(gathered, state, line.shape, sort) or tally
    if tally is None or repeated:
        return
    if line.mark == UNFINISHED and _is_cut_short(line, tally.last):
        gathered.torn = True
        return
    tally.add(gathered.lines, line.numbers, line.mark == REDRAWN)
    if not state.begun:
        state.begun = bool(tally.pattern.positions) and tally.pattern.known


_RANK = re.compile(r"(?:\[?(?:rank|default)[ _]?\d+\]?:\s?|\(\w+ pid=\d+[^)]*\)\s)+", re.IGNORECASE)
_RAISED = re.compile(
    r"(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Exit|Signal|Iteration|Warning|Failure)\w*"
    r"(?::.*|\s*$)"
)


def _look_for_exception(tally: LogTally, state: _State, line: str) -> None:
    """Keep the line that ends a traceback: the first one that is not indented."""
    raised = _RAISED.match(_RANK.sub("", line)) or _RAISED.match(message_of(line))
    if raised and len(tally.raised) < _MOST_RAISED:
        tally.raised.append((tally.lines, raised[0].strip()))
        state.traceback = False


def _known(tally: LogTally, state: _State, raw: str) -> tuple[Normal, _Sort]:
    normal = normal_of(raw)
    sort = state.sorts.get(normal.shape)
    if sort is None:
        sort = _sort(tally, normal.shape)
        special = bool(sort.annotation or sort.row or sort.metric_row or sort.splits or sort.open)
        sort.tells = special or sort.tally is not None
        sort.plain = None if special else sort.tally
        if sort.tells or len(state.sorts) < _MOST_SHAPES:
            state.sorts[normal.shape] = sort
    if len(state.normals) >= _MOST_SHAPES:
        state.normals.clear()
    state.normals[raw] = normal, sort
    return normal, sort


def _sort(tally: LogTally, shape: str) -> _Sort:
    """Work out what the lines of a new shape are."""
    sort = _Sort(annotation=annotation_of(shape), splits=splits_of(shape))
    if HOLE not in shape or _FOREIGN.match(shape) or not _is_likely(shape, len(tally.tallies)):
        sort.annotation = sort.annotation or section_of(shape)
        return sort
    pattern = pattern_of(shape)
    if pattern.pairs or pattern.positions:
        sort.open = _BAR_RECORD.search(shape) is not None and not shape.rstrip().endswith("|")
        sort.tally = _tally(tally, pattern)
    elif not sort.annotation:
        sort.annotation = section_of(shape)
    sort.row = is_row(shape)
    sort.metric_row = not sort.row and is_metric_row(shape)
    return sort


_METRIC = re.compile(
    r"(?i)loss|acc|err|epoch|step|iter|update|metric|score|reward|ppl|bleu|iou|dice|f1|auc|lr\b"
)
_FOREIGN = re.compile(r"wandb: ")  # W&B repeats the last values when it ends
_BAR_RECORD = re.compile(
    r"^\W*(?:\[[^]]*\]\s*)*iteration .*\|.*\b(?:consumed samples|elapsed time per iteration)\b"
)


def _is_likely(shape: str, tallies: int) -> bool:
    """Whether a new shape is worth the time; a log with thousands of shapes is not made of records."""
    return tallies < _MANY_TALLIES or (tallies < _MOST_TALLIES and _METRIC.search(shape) is not None)


def _tally(gathered: LogTally, pattern: Pattern) -> Tally:
    tally = Tally(pattern)
    gathered.tallies.append(tally)
    return tally


def _row_tally(tally: LogTally, state: _State, shape: str, sort: _Sort) -> Tally | None:
    """The tally of a row of a table, by the headings above it."""
    if sort.row and state.last_row != tally.lines - 1:
        above = [line for _, line in islice(reversed(tally.tail), 1, 1 + _HEADING_WITHIN)]
        nearest = next((line for line in above if not is_rule(line)), "")
        goes_on = is_row(normal_of(parted(nearest)[0]).shape)
        if not (goes_on and is_heading(state.heading, shape)):
            above = [line for line in above if not is_row(normal_of(parted(line)[0]).shape)]
            state.heading = next((line for line in above if is_heading(line, shape)), nearest)
    state.last_row = tally.lines
    key = (shape, state.heading if sort.row else repr(state.splits))
    if key not in state.rows:
        pattern = table_row(shape, state.heading) if sort.row else metric_row(shape, state.splits)
        state.rows[key] = _tally(tally, pattern) if pattern else None
    return state.rows[key]


def _is_begun(shape: str, sorts: Mapping[str, _Sort]) -> bool:
    """Whether a shape is the beginning of another that records have."""
    begun = shape.rstrip()
    return any(known.startswith(begun) and known != shape for known, sort in sorts.items() if sort.tally)


def _is_cut_short(line: _Line, before: list[str]) -> bool:
    """Whether the last number of an unfinished line has fewer decimals than in the line before."""
    if not line.numbers or not before or not line.text.endswith(line.numbers[-1]):
        return False
    return len(line.numbers[-1].partition(".")[2]) < len(before[-1].partition(".")[2])
