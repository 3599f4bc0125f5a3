"""From paths to runs: find the places, recognize and read them, put them together."""

import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import BinaryIO

from traindx import readers as reader_folder
from traindx.catalogue import units
from traindx.errors import UnreadableError
from traindx.facts import SCRIPT
from traindx.format import count, listed
from traindx.quantities import COUNTERS
from traindx.readers.loading.assemble import assemble
from traindx.readers.loading.files import (
    STANDARD_INPUT,
    discover,
    files_below,
    in_memory,
    is_hidden_experiment,
    is_report,
    is_settings_file,
    settings_beside,
    settings_files,
)
from traindx.readers.loading.group import Bundle, FileLogs, group
from traindx.readers.loading.program_run import program_folders, with_output
from traindx.readers.loading.ranks import with_processes_joined
from traindx.readers.types import Log, Reader, Source
from traindx.run import Axis, Better, EventKind, Quantity, Run, Scalar

Progress = Callable[[str], None]
_SOME_TEXT, _DISTINCTIVE = 0.1, 0.5
_LONG_TEXT = 1 << 25
_LFS = b"version https://git-lfs.github.com/spec/"
_PROSE = frozenset({".md", ".rst", ".py", ".ipynb", ".html", ".tex", ".sh", ".js", ".c", ".cpp", ".cu"})


@dataclass(frozen=True)
class Reading:
    """The runs found, what could not be read, and how many files were no logs at all."""

    runs: tuple[Run, ...]
    problems: tuple[UnreadableError, ...] = ()
    other_files: int = 0


def load(path: str | os.PathLike[str]) -> list[Run]:
    """All runs at a path: a file, a run's folder, a tree of runs, or "-" for standard input."""
    reading = read([os.fspath(path)])
    if not reading.runs:
        raise reading.problems[0]
    return list(reading.runs)


def read(
    paths: Sequence[str],
    names: Mapping[str, Quantity] | None = None,
    progress: Progress = lambda _: None,
    *,
    told: bool = True,
) -> Reading:
    """Read every path; what cannot be read is a problem in the result, never an exception.

    Without `told`, what programs under `traindx run` printed and wrote is left out.
    """
    readings = [_read_path(path, names or {}, progress, with_told=told) for path in paths]
    return Reading(
        tuple(run for reading in readings for run in reading.runs),
        tuple(problem for reading in readings for problem in reading.problems),
        sum(reading.other_files for reading in readings),
    )


def _read_path(path: str, names: Mapping[str, Quantity], progress: Progress, *, with_told: bool) -> Reading:
    """The runs at a path; of those below it the one that is named behind it, as reports name it."""
    top, _, wanted = path.rpartition(":")
    if os.path.lexists(path) or not os.path.lexists(top):
        return _read_sources(path, discover(path), names, progress, with_told=with_told)
    reading = _read_sources(top, discover(top), names, progress, with_told=with_told)
    named = tuple(run for run in reading.runs if run.name.endswith(f":{wanted}"))
    if named or reading.problems:
        return replace(reading, runs=named)
    held = [run.name.rpartition(":")[2] for run in reading.runs]
    missing = UnreadableError(top, f'no run "{wanted}"', f"choose one of its runs: {listed(held)}")
    return replace(reading, runs=(), problems=(missing,))


def _read_sources(
    top: str,
    sources: Iterable[Source | UnreadableError],
    names: Mapping[str, Quantity],
    progress: Progress,
    *,
    with_told: bool = True,
) -> Reading:
    in_tree = Path(top).is_dir()
    file_logses: list[FileLogs] = []
    problems: list[UnreadableError] = []
    others: list[UnreadableError] = []
    experiments = 0
    for source in sources:
        if isinstance(source, UnreadableError):
            problems.append(source)
            continue
        progress(source.path)
        if in_tree and is_hidden_experiment(source, top):
            experiments += 1
            continue
        try:
            file_logses.append(_read_source(source, in_tree))
        except NotALogError as error:
            others.append(error)
        except UnreadableError as error:
            problems.append(error)
    bundles = group(_without_prose(file_logses), top)
    runs = with_processes_joined([_run(bundle, names) for bundle in bundles])
    for folder in program_folders(top) if in_tree and with_told else ():
        runs = with_output(runs, folder, partial(_runs_of, names))
    readable = tuple(run for run in runs if not in_tree or _is_training(run))
    # What ended before its first number is worth a word where nothing else is there.
    readable = readable or tuple(run for run in runs if fell_over(run))
    if not readable and not problems:
        problems = _nothing_at(top, others, experiments)
    stated = {
        str(file) for bundle in bundles for folder in _folders(bundle) for file in settings_files(folder)
    }
    return Reading(readable, tuple(problems), sum(other.where not in stated for other in others))


def _read_source(source: Source, in_tree: bool) -> FileLogs:
    """What a file holds; settings in a tree are refused: they are facts of the run beside them."""
    item = _read_by_surest(source, in_tree)
    single = all(len(column.values) < 2 for log in item.logs for column in log.columns)
    if in_tree and single and is_settings_file(item.path):
        raise NotALogError(item.path, "only settings of a run", "choose the log of the run")
    return item


class NotALogError(UnreadableError):
    """A file that is no training log: worth a word when it was named, not when it lay in a tree."""


def _read_by_surest(source: Source, in_tree: bool) -> FileLogs:
    if not source.head:
        raise NotALogError(source.path, "empty file", "wait until the run has logged something")
    if is_report(source):
        raise NotALogError(source.path, "a traindx report, not a log", "choose the log it was made from")
    if source.head.startswith(_LFS):
        raise UnreadableError(
            source.path, "a git-LFS pointer; the log was not downloaded", "run: git lfs pull"
        )
    first: UnreadableError = NotALogError(
        source.path,
        "unknown log format",
        "see docs/formats.md; a text log needs lines such as: step 10 loss 0.5",
    )
    for number, (sureness, reader) in enumerate(_candidates(source, in_tree)):
        try:
            return FileLogs(source.path, reader, _logs(reader, source), sureness)
        except UnreadableError as error:
            # The next reader may still know it: of all refusals the surest reader's says most.
            if number == 0:
                first = error if sureness >= _DISTINCTIVE or not in_tree else NotALogError(*error.parts)
    raise first


def _candidates(source: Source, in_tree: bool) -> list[tuple[float, Reader]]:
    """The readers that recognize a source, the surest first."""
    rated = [(reader.recognizes(source), reader) for reader in readers()]
    size = os.path.getsize(source.path) if source.data is None else len(source.data)
    least = _SOME_TEXT if in_tree and size > _LONG_TEXT else 0.0
    return sorted((pair for pair in rated if pair[0] > 0 and pair[0] >= least), key=lambda pair: -pair[0])


def _logs(reader: Reader, source: Source) -> tuple[Log, ...]:
    try:
        return tuple(reader.read(source))
    except OSError as error:
        raise UnreadableError(source.path, str(error.strerror or error).lower(), "check the disk") from error


def _is_training(run: Run) -> bool:
    """Whether a run measures anything: what lies in a tree may count and time things and be no training."""
    return (fell_over(run) and SCRIPT in run.facts) or any(
        series.quantity.better is not Better.NEITHER
        or (series.axis is not Axis.RECORD and series.quantity not in COUNTERS)
        for series in run.series
    )


def fell_over(run: Run) -> bool:
    """Whether a training ended before its first step, as its recording or the end of its log says."""
    died = any(event.kind is EventKind.EXCEPTION for event in run.events)
    return not run.series and (SCRIPT in run.facts or died)


def _without_prose(file_logses: Sequence[FileLogs]) -> list[FileLogs]:
    """Leave out logs pasted into prose and source where logs of their own lie in or below the folder."""
    logged = {folder for item in file_logses if not _is_prose(item) for folder in Path(item.path).parents}
    return [item for item in file_logses if not _is_prose(item) or Path(item.path).parent not in logged]


def _is_prose(item: FileLogs) -> bool:
    return Path(item.path).suffix.lower() in _PROSE


def _run(bundle: Bundle, names: Mapping[str, Quantity]) -> Run:
    settings: dict[str, Scalar] = {}
    for folder in _folders(bundle):
        settings = {**settings_beside(folder), **settings}
    run = assemble(bundle.name, bundle.strands, settings, names)
    return replace(run, number=bundle.number) if bundle.number > 1 else run


def _runs_of(names: Mapping[str, Quantity], sources: Iterable[Source], top: str) -> list[tuple[Run, float]]:
    """The runs that some files tell of, and how sure the readers of these files are."""
    file_logses = []
    for source in sources:
        try:
            file_logses.append(_read_source(source, in_tree=True))
        except UnreadableError:
            continue
    return [
        (_run(bundle, names), max(strand.sureness for strand in bundle.strands))
        for bundle in group(file_logses, top)
    ]


def _folders(bundle: Bundle) -> list[Path]:
    """Where settings of a run may lie: its own folder, then the newest checkpoint's before older ones."""
    sources = [log.source for strand in bundle.strands for log in strand.logs]
    return list(dict.fromkeys([bundle.folder, *(Path(source).parent for source in reversed(sources))]))


def _nothing_at(top: str, others: Sequence[UnreadableError], experiments: int) -> list[UnreadableError]:
    if experiments:
        what = f"no run of yours; skipped {count(experiments, 'trial run')} of traindx"
        return [UnreadableError(top, what, "pass their folder to read them")]
    if len(others) == 1:
        return list(others)
    what = f"{len(others)} files, none of them a training log" if others else "the folder is empty"
    return [UnreadableError(top, what, "see docs/formats.md for the supported formats")]


def follow(
    paths: Sequence[str], names: Mapping[str, Quantity] | None = None, *, every: float = 1.0
) -> Iterator[Reading]:
    """Read again whenever something has grown; ends only with standard input, where that is the path."""
    if list(paths) == [STANDARD_INPUT]:
        yield from _follow_stream(sys.stdin.buffer, names or {}, every)
        return
    fingerprint: object = None
    while True:
        now = _fingerprint(paths)
        took = 0.0
        if now != fingerprint:
            begun = time.monotonic()
            yield read(paths, names)
            took, fingerprint = time.monotonic() - begun, now
        # Reading costs a tenth of the time at most, however large the log has become.
        time.sleep(max(every, 9 * took))


def _follow_stream(stream: BinaryIO, names: Mapping[str, Quantity], every: float) -> Iterator[Reading]:
    data = b""
    due = 0.0
    for block in iter(lambda: stream.read1(1 << 16), b""):  # type: ignore[attr-defined]  # buffered streams have it
        data += block
        if time.monotonic() >= due and data.endswith(b"\n"):
            begun = time.monotonic()
            yield _read_sources(STANDARD_INPUT, [in_memory("standard input", data)], names, lambda _: None)
            due = begun + max(every, 10 * (time.monotonic() - begun))
    yield _read_sources(STANDARD_INPUT, [in_memory("standard input", data)], names, lambda _: None)


def _fingerprint(paths: Sequence[str]) -> list[tuple[str, int, int]]:
    paths_below = [file for path in paths for file in (files_below(path) if Path(path).is_dir() else (path,))]
    # What is written to a database may stand in the file beside it for long.
    files = [name for file in paths_below for name in (file, f"{file}-wal")]
    return [(file, status.st_size, status.st_mtime_ns) for file in files if (status := _status(file))]


def _status(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


@cache
def readers() -> tuple[Reader, ...]:
    """Every reader, built in or registered by a plugin."""
    return tuple(sorted(units(reader_folder, Reader, "traindx.readers"), key=lambda reader: reader.slug))
