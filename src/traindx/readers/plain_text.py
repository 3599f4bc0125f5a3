"""Plain text: the console output of training programs.

iter 20: loss 9.4990, time 1516.36ms, mfu 22.20%
Epoch: [0][14/5005] Time 0.154 (8.010) Data 0.001 (7.720) Loss 6.9074 (6.9080)
938/938 [==============================] - 3s 3ms/step - loss: 0.41 - val_loss: 0.39

Traps: progress bars redraw themselves with carriage returns; steps start over in each epoch; a line such as
`Test: Loss 1.16` has no step of its own; programs print their settings and even their source before
they train; every rank prints. Lines of one shape are understood together, see `text.records`.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from traindx.errors import UnreadableError
from traindx.format import count
from traindx.readers.names.vocabulary import fact_of, meaning
from traindx.readers.tabular.json_values import flattened, number_or_text
from traindx.readers.text.clock import AXES, Clock
from traindx.readers.text.columns import columns_of_records
from traindx.readers.text.gather import LogTally, gather
from traindx.readers.text.lines import LONGEST, lines_of, message_of
from traindx.readers.text.records import records_of
from traindx.readers.text.remarks import Kind
from traindx.readers.text.sheet import Pattern, Place
from traindx.readers.types import Log, Reader, Source
from traindx.run import Axis, Event, EventKind, Scalar, Skipped

_BY_NAMES: tuple[tuple[frozenset[str], str], ...] = (
    (frozenset({"loss", "learning_rate"}), "mean since the last record"),
    (frozenset({"time", "data", "max mem"}), "median of 20 steps"),
    (frozenset({"elapsed time per iteration (ms)"}), "mean since the last record"),
    (frozenset({"wps", "ups", "wpb"}), "mean since the last record"),
)


def smoothing_of(patterns: Iterable[Pattern]) -> str:
    """How the values of a log were smoothed before they were printed, where the producer is known."""
    for pattern in patterns:
        if pattern.at(Place.PASS):
            return "running mean over the epoch"
        names = {pair.name for pair in pattern.pairs}
        known = next((smoothing for told, smoothing in _BY_NAMES if told <= names), "")
        if known and pattern.positions:
            return known
    return ""


_SIGNALS = re.compile(
    r"KeyboardInterrupt|SIGTERM|SIGINT|SIGKILL|got signal: ?(?:2|9|15)\b|\bsignal (?:2|9|15)\b"
    r"|^(?:\S+: line \d+: +\d+ )?(?:Killed|Terminated)\b|slurmstepd: error: .*CANCELLED|DUE TO TIME LIMIT"
    r"|\bexitcode\s*:\s*-(?:2|9|15)\b"
)
_LONGEST = 200


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


def _crashes(found: LogTally, clock: Clock, last_record: int) -> Iterator[Event]:
    """The exceptions that ended the run or made it start over; programs also print those they survive."""
    told: set[tuple[str, int]] = set()
    for line, raised in found.raised:
        place = int(clock.before(np.array([line]))[0])
        fatal = line > last_record or _starts_over(clock, place)
        if fatal and (raised, place) not in told and not _SIGNALS.search(raised):  # each rank prints it
            told.add((raised, place))
            yield Event(EventKind.EXCEPTION, raised[:_LONGEST], _step_at(clock, line))


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


_KEY = r"[A-Za-z_][\w.-]{0,60}"
_VALUE = r"\"[^\"$]{0,80}\"|'[^'$]{0,80}'|[^\s,;(){}\[\]\"'=:|$`]{1,80}"
_LINE = re.compile(
    rf"(?P<key>{_KEY}(?: [\w-]{{1,20}}){{0,4}})\s*(?:[:=]|\.{{3,}})\s*(?P<value>{_VALUE})\s*(?:#.*)?"
)
_OBJECT = re.compile(r"[A-Za-z_]\w*\(\w+=|\{\s*['\"]\w")
_INSIDE = re.compile(rf"[(,{{\s'\"](?P<key>{_KEY})['\"]?\s*[:=]\s*(?P<value>{_VALUE})(?=\s*[,)}}\]])")
_COMMAND = re.compile(r"(?:^|[\s=])(?:python\d?|torchrun|accelerate|deepspeed|srun)\b.*\s--?\w")
_OPTION = re.compile(rf"(?<!\S)--?(?P<key>{_KEY})(?:=|\s+)(?!-[A-Za-z-])(?P<value>{_VALUE})(?!\S)")
_PAIR = re.compile(rf"(?P<key>{_KEY})[:=](?P<value>{_VALUE})")
_PAIRS = re.compile(rf"(?:{_KEY}[:=](?:{_VALUE})(?:[\s,;]+|$))+")
_NOTHING = frozenset({"", "None", "none", "null", "..."})
_LONGEST_LINE = 65_536
_LONGEST_PAIR = 200
_LONGEST_COMMAND = 4_096
_MOST = 2_000


def settings_of(lines: Iterable[str]) -> dict[str, Scalar]:
    """The settings in the lines before the training; the first value of a name counts."""
    settings: dict[str, Scalar] = {}
    for line in lines:
        for key, value in _pairs(message_of(line[:_LONGEST_LINE]).strip(" \t\r-*")):
            if len(settings) < _MOST and value not in _NOTHING and _may_be_setting(key):
                settings.setdefault(key, value)
    return settings


def _may_be_setting(name: str) -> bool:
    """Whether a name is not that of something measured."""
    if " " in name:
        return fact_of(name) is not None
    return fact_of(name) is not None or (meaning(name) is None and name not in ("http", "https"))


def _pairs(message: str) -> Iterator[tuple[str, Scalar]]:
    if message.startswith("("):  # (dropout): Dropout(p=0.1) is a layer of a printed model
        return
    whole = _LINE.fullmatch(message) if len(message) <= _LONGEST_PAIR else None
    printed = _OBJECT.search(message)
    if whole:
        yield whole["key"], _value(whole["value"])
    elif printed and (document := _document(message[printed.start() :])):
        yield from flattened(document)
    elif printed:
        yield from _found(_INSIDE, message)
    elif _COMMAND.search(message[:_LONGEST_COMMAND]):
        yield from _found(_OPTION, message)
    elif _PAIRS.fullmatch(message):
        yield from _found(_PAIR, message)


def _found(expression: re.Pattern[str], message: str) -> Iterator[tuple[str, Scalar]]:
    return ((found["key"].lstrip("-"), _value(found["value"])) for found in expression.finditer(message))


def _value(spelled: str) -> Scalar:
    text = spelled.strip("\"'")
    return number_or_text(text.replace(",", "") if re.fullmatch(r"\d{1,3}(?:,\d{3})+", text) else text)


def _document(text: str) -> dict[object, object]:
    """What a printed dictionary or object holds; nothing where it is not spelled as in a program."""
    try:
        value = _plain(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return value if isinstance(value, dict) else {}


def _plain(node: ast.expr) -> object:
    if isinstance(node, ast.Constant):
        return node.value
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
    ):
        number = node.operand.value
        return -number if isinstance(number, int | float) else None
    if isinstance(node, ast.Dict):
        return {_plain(k): _plain(v) for k, v in zip(node.keys, node.values, strict=True) if k is not None}
    if isinstance(node, ast.Call):
        return {keyword.arg: _plain(keyword.value) for keyword in node.keywords if keyword.arg}
    return None


_PLACES = (b"epoch", b"step", b"iter", b"update", b"episode", b"ep", b"s")
_RESULTS = tuple(b"loss acc error cost rew score ppl perplexity bleu iou dice f1 tel trl".split())
_PLACE = re.compile(rb"\b(?:" + b"|".join(_PLACES) + rb")\w{0,30}[^\w\n]{1,40}\d|\d\s?/\s?\d")
_RESULT = re.compile(rb"(?:" + b"|".join(_RESULTS) + rb")\w{0,30}[^\w\n]{1,40}(?:\d|nan|inf)")
_AROUND = 300
_MOST_LOOKS = 100
_TEXT = bytes(byte for byte in range(256) if byte >= 32 or byte in b"\t\n\r\b\f\x1b\0")


def recognizes(source: Source) -> float:
    """A third sure of a text with records, a little of one that names a metric, hardly of any other."""
    head = source.head
    garbage = len(head.translate(None, delete=_TEXT)) + head.decode("utf-8", "replace").count("\ufffd") // 2
    if not head or garbage > 0.05 * len(head) or head.count(0) > 0.3 * len(head):
        return 0.0
    head = head.lower()
    if not any(word in head for word in _RESULTS):
        return 0.05
    results = list(islice(_RESULT.finditer(head), _MOST_LOOKS))
    if any(_stands_beside_place(head, result) for result in results):
        return 0.35  # above a table that seems to have names and no rows, below a real table
    return 0.1 if results or _PLACE.search(head) else 0.05


def _stands_beside_place(head: bytes, result: re.Match[bytes]) -> bool:
    """Whether the line of a result also says where in the run it stands."""
    begin = head.rfind(b"\n", max(0, result.start() - _AROUND), result.start()) + 1
    end = head.find(b"\n", result.end(), result.end() + _AROUND)
    line = head[max(begin, result.start() - _AROUND) : end if end >= 0 else result.end() + _AROUND]
    return _PLACE.search(line) is not None


def read(source: Source) -> Iterator[Log]:
    """Read whatever in the text has a name, a number and a place in the run."""
    found = gather(lines_of(source))
    records = records_of(found)
    columns, summaries = columns_of_records(records.placed)
    if not columns:
        raise UnreadableError(
            source.path,
            f"no metrics found in {count(found.lines, 'line')} of text",
            "expected lines with a step or epoch and a named value, such as: step 10 loss 0.5",
        )
    last_record = max(int(placed.sheet.lines[-1]) for placed in records.placed)
    settings = settings_of(found.preamble)
    stated = {fact_of(name) for name in settings}
    yield Log(
        source.path,
        columns,
        # What the program says it was set to counts more than what its lines count up to.
        {**settings, **{name: plan for name, plan in records.plans.items() if fact_of(name) not in stated}},
        events_of(found, records.clock, last_record),
        (*records.unread, *summaries, *_cut(found.cut)),
        smoothing_of(placed.sheet.pattern for placed in records.placed),
    )


def _cut(lines: int) -> tuple[Skipped, ...]:
    why = f"only the first {LONGEST} characters of each were read"
    return (Skipped("very long lines", lines, why),) if lines else ()


READER = Reader("plain_text", "Plain text", recognizes, read)
