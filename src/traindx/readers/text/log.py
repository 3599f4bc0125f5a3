"""Lines of text to a log: what every reader does whose numbers stand in running text."""

from collections.abc import Iterable, Mapping

from traindx.errors import UnreadableError
from traindx.facts import FRAMEWORK
from traindx.format import count
from traindx.readers.names.vocabulary import fact_of
from traindx.readers.text.columns import columns_of_records
from traindx.readers.text.events import ends_in_exception, events_of
from traindx.readers.text.frameworks import framework_of
from traindx.readers.text.gather import gather
from traindx.readers.text.lines import LONGEST
from traindx.readers.text.records import records_of
from traindx.readers.text.settings import settings_of
from traindx.readers.text.sheet import Pattern, Place
from traindx.readers.types import Log
from traindx.run import Fact, Scalar, Skipped

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


def log_of_lines(
    path: str,
    lines: Iterable[str],
    settings: Mapping[str, Scalar] | None = None,
    facts: Mapping[Fact, Scalar] | None = None,
) -> Log:
    """Read whatever in the lines has a name, a number and a place in the run.

    `settings` and `facts` are what the place where the lines stand tells.
    """
    found = gather(lines)
    records = records_of(found)
    columns, summaries = columns_of_records(records.placed)
    if not columns and not ends_in_exception(found):
        raise UnreadableError(
            path,
            f"no metrics found in {count(found.lines, 'line')} of text",
            "expected lines with a step or epoch and a named value, such as: step 10 loss 0.5",
        )
    patterns = [placed.sheet.pattern for placed in records.placed]
    framework = framework_of(patterns, (*found.preamble, *(line for _, line in found.tail)))
    last_record = max((int(placed.sheet.lines[-1]) for placed in records.placed), default=0)
    settings = {**(settings or {}), **settings_of(found.preamble)}
    stated = {fact_of(name) for name in settings}
    return Log(
        path,
        columns,
        # What the program says it was set to counts more than what its lines count up to.
        {**settings, **{name: plan for name, plan in records.plans.items() if fact_of(name) not in stated}},
        events_of(found, records.clock, last_record),
        (*records.unread, *summaries, *_cut(found.cut)),
        smoothing_of(patterns),
        facts={**({FRAMEWORK: framework} if framework else {}), **(facts or {})},
    )


def _cut(lines: int) -> tuple[Skipped, ...]:
    why = f"only the first {LONGEST} characters of each were read"
    return (Skipped("very long lines", lines, why),) if lines else ()
