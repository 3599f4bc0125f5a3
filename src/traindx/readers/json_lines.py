"""JSON Lines: one record of names and values per line, from any program.

{"step": 10, "loss": 2.3, "lr": 0.0001}
{"step": 10, "split": "val", "loss": 2.1}
{"step": 20, "loss": NaN, "grad": {"norm": 1.5}}

The first line may be the configuration; records of several kinds are mixed and distinguished by
`split` or `mode`; numbers may be text; NaN is a bare word, which is invalid JSON; the last line may be
incomplete.
"""

from collections.abc import Iterator

from traindx.errors import UnreadableError
from traindx.readers.tabular.json_values import decoded, names_a_metric, only_sets
from traindx.readers.tabular.lines import read_lines
from traindx.readers.tabular.sheet_logs import logs_of
from traindx.readers.types import Log, Reader, Source


def recognizes(source: Source) -> float:
    """Sure where the first lines are records and name a metric, each on a line of its own."""
    head = source.head.removeprefix(b"\xef\xbb\xbf")
    lines = [line for line in head.splitlines()[:8] if line.strip()]
    if not lines or not lines[0].lstrip().startswith(b"{"):
        return 0.0
    records = sum(_is_record(line) for line in lines)
    if not records or (len(lines) > 1 and not lines[1].lstrip().startswith(b"{")):
        return 0.0
    known = names_a_metric(head)
    # A line alone may as well be a document, which may hold more than a record does.
    return (0.6 if known else 0.06) if len(lines) > 1 else (0.45 if known else 0.04)


def _is_record(line: bytes) -> bool:
    try:
        return isinstance(decoded(line.strip().removesuffix(b",")), dict)
    except ValueError:
        return False


def read(source: Source) -> Iterator[Log]:
    """One log, or one per run where a name tells runs apart."""
    sheet, origin = read_lines(source, may_only_set=True)
    logs = list(logs_of(sheet, origin))
    if sheet.length == 1 and all(map(only_sets, logs)):
        raise UnreadableError(source.path, "only one line with settings, no metrics")
    yield from logs


READER = Reader("json_lines", "JSON Lines", recognizes, read)
