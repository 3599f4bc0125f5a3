"""The files around a run: the sources at a path, and the hyperparameters that lie beside a log.

version_0/hparams.yaml       lr: 0.001
files/config.yaml            lr: {desc: null, value: 0.001}
params/lr                    0.001

Hugging Face writes its arguments as `training_args.bin`, a pickle. Unpickling runs code that the file
chooses; walking its opcodes runs nothing. Objects become opaque, only names with numbers and words remain.
"""

import json
import os
import pickletools
import re
import sqlite3
import stat
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from traindx.errors import UnreadableError, refused
from traindx.facts import DATASET, EXPERIMENT, LOSS_FUNCTION, MODEL, OPTIMIZER, PRECISION, SCHEDULE, SMOOTHING
from traindx.readers.binary.recording_file import SUFFIX, Tables, meta_in
from traindx.readers.binary.sqlite import opened
from traindx.readers.names.vocabulary import fact_of
from traindx.readers.tabular.json_values import flattened, number_or_text
from traindx.readers.types import HEAD_BYTES, Log, Source
from traindx.run import Fact, Scalar

_NEAR: Annotated[int, "folders from the one that was named to the recording: a-1/control of treatments"] = 2
_REPORT = re.compile(rb'\s*\{\s*"schema":\s*"traindx\.\w+/\d+"|# traindx: |\*\*traindx\*\* \xc2\xb7 ')
"""How every document begins that traindx writes as data, and every diagnosis that it writes as Markdown."""


def is_report(source: Source) -> bool:
    """Whether a file is what a command of traindx wrote with --json or --md."""
    return _REPORT.match(source.head) is not None


def is_hidden_experiment(source: Source, top: str) -> bool:
    """Whether it records what traindx tried, deep below a folder that was named for other things.

    Arms of treatments, rehearsals and searches for a learning rate say so of themselves, wherever they lie.
    """
    path = Path(source.path)
    if path.suffix != SUFFIX or len(Path(os.path.relpath(path, top)).parts) - 1 <= _NEAR:
        return False
    try:
        with opened(source) as connection:
            return EXPERIMENT.slug in meta_in(Tables(connection))
    except (sqlite3.Error, OSError):
        return False


SKIPPED_FOLDERS = frozenset({".git", ".hg", ".svn", "__pycache__", "node_modules", "site-packages", ".venv"})
OWN_FOLDER = ".traindx"
CONSOLE, WRITTEN, PROGRAM = "console.txt", "written", "program.json"
"""What a program printed, copies of the log files it wrote, and what was run; see `program_run`."""
_OWN_FILES = frozenset(
    {"report.html", "report.json", "report.md", "processes.jsonl", "changes.jsonl", "output.txt"}
    | {CONSOLE, PROGRAM}
)
"""What traindx writes beside a recording."""
STANDARD_INPUT = "-"


def discover(path: str) -> Iterator[Source | UnreadableError]:
    """Yield the sources at a path; a place that cannot be opened comes as the error that says so."""
    if path == STANDARD_INPUT:
        yield in_memory("standard input", sys.stdin.buffer.read())
        return
    if not os.path.lexists(path):
        yield UnreadableError(path, "no such file or folder", "check the spelling and the working directory")
        return
    if Path(path).is_dir():
        closed: list[OSError] = []
        for file in files_below(path, closed.append):
            yield source_at(file)
        yield from (refused(str(error.filename), error) for error in closed)
        return
    yield source_at(path)


def files_below(folder: str, on_error: Callable[[OSError], None] | None = None) -> Iterator[str]:
    """Every regular file below a folder, in a stable order, version-control and package folders left out."""
    for parent, folders, files in os.walk(folder, onerror=on_error):
        folders[:] = sorted(name for name in folders if name not in SKIPPED_FOLDERS)
        ours = OWN_FOLDER in Path(parent).parts or any(Path(name).suffix == SUFFIX for name in files)
        if PROGRAM in files and WRITTEN in folders:
            folders.remove(WRITTEN)
        for name in sorted(files):
            file = os.path.join(parent, name)
            if not (ours and _goes_with_a_recording(name)) and Path(file).is_file():
                yield file


def _goes_with_a_recording(name: str) -> bool:
    return name in _OWN_FILES or name.endswith((f"{SUFFIX}-wal", f"{SUFFIX}-shm"))


def source_at(path: str) -> Source | UnreadableError:
    """A file as a source, or why it cannot be one."""
    try:
        mode = Path(path).stat().st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            return UnreadableError(path, "neither a file nor a folder", "choose a log file")
        if stat.S_ISFIFO(mode):
            with Path(path).open("rb") as stream:
                return in_memory(path, stream.read())
        with Source(path, b"").open() as stream:
            return Source(path, stream.read(HEAD_BYTES))
    except OSError as error:
        return refused(path, error)


def in_memory(path: str, data: bytes) -> Source:
    """A source of bytes that are no file."""
    with Source(path, b"", data).open() as stream:
        return Source(path, stream.read(HEAD_BYTES), data)


_MARK = object()
_OPAQUE = object()
_LITERALS = frozenset(
    {"BININT", "BININT1", "BININT2", "LONG1", "INT", "BINFLOAT", "FLOAT", "BINUNICODE", "SHORT_BINUNICODE"}
    | {"UNICODE", "BINUNICODE8"}
)
_CONSTANTS = {"NEWTRUE": True, "NEWFALSE": False, "NONE": None, "MARK": _MARK}
_OBJECT_MADE_OF = {
    **dict.fromkeys(("EMPTY_DICT", "EMPTY_LIST", "EMPTY_TUPLE", "EMPTY_SET", "GLOBAL"), 0),
    **dict.fromkeys(("TUPLE1", "BINPERSID"), 1),
    **dict.fromkeys(("REDUCE", "NEWOBJ", "STACK_GLOBAL", "TUPLE2"), 2),
    **dict.fromkeys(("TUPLE3", "NEWOBJ_EX"), 3),
}
"""How many of the last values each of these puts into one object."""


def settings_in_pickle(data: bytes) -> dict[str, Scalar]:
    """The scalar items of every dictionary in a pickle; raises ValueError if it is not one."""
    settings: dict[str, Scalar] = {}
    stack: list[object] = []
    memo: dict[int, object] = {}
    for opcode, argument, _ in pickletools.genops(data):
        name = opcode.name
        if name in _LITERALS:
            stack.append(argument)
        elif name in _CONSTANTS:
            stack.append(_CONSTANTS[name])
        elif name in ("MEMOIZE", "BINPUT", "LONG_BINPUT"):
            memo[len(memo) if name == "MEMOIZE" else int(str(argument))] = stack[-1] if stack else _OPAQUE
        elif name in ("BINGET", "LONG_BINGET"):
            stack.append(memo.get(int(str(argument)), _OPAQUE))
        elif name in ("SETITEM", "SETITEMS"):
            items = _last(2, stack) if name == "SETITEM" else _down_to_mark(stack)
            pairs = zip(items[::2], items[1::2], strict=False)
            settings |= {k: v for k, v in pairs if isinstance(k, str) and isinstance(v, Scalar)}
        elif name in ("APPENDS", "ADDITEMS"):
            _down_to_mark(stack)
        elif name in ("BUILD", "APPEND"):
            _last(1, stack)
        elif name in ("TUPLE", "LIST", "DICT"):
            _down_to_mark(stack)
            stack.append(_OPAQUE)
        elif name in _OBJECT_MADE_OF:
            _last(_OBJECT_MADE_OF[name], stack)
            stack.append(_OPAQUE)
    return settings


def _last(count: int, stack: list[object]) -> list[object]:
    """Take the last values from a stack; a damaged pickle may hold fewer."""
    values = stack[max(len(stack) - count, 0) :]
    del stack[max(len(stack) - count, 0) :]
    return values


def _down_to_mark(stack: list[object]) -> list[object]:
    items: list[object] = []
    while stack and (item := stack.pop()) is not _MARK:
        items.append(item)
    return items[::-1]


_SETTINGS_FILE = re.compile(
    r"(hparams?|hyp|hyper_?params?|hyper_?parameters|config|configs|cfg|args|opt|params|train_?config|training_args|train_args|"
    r"run_config|settings|hydra)\.(ya?ml|json)",
    re.IGNORECASE,
)
_PICKLED = "training_args.bin"
_LARGEST = 1 << 20


def settings_beside(folder: Path) -> dict[str, Scalar]:
    """Settings found in files of a folder, of its `files/`, `.hydra/` and `params/`; nothing on failure."""
    settings: dict[str, Scalar] = {}
    for file in settings_files(folder):
        settings = {**(_read_pickled(file) if file.name == _PICKLED else settings_in(file)), **settings}
    return {**_one_file_each(folder / "params"), **settings}


def settings_files(folder: Path) -> list[Path]:
    """The files of a folder, of its `files/` and `.hydra/` that state settings."""
    paths = [file for path in (folder, folder / "files", folder / ".hydra") for file in _files(path)]
    return [file for file in paths if file.name == _PICKLED or is_settings_file(file.name)]


def is_settings_file(path: str) -> bool:
    """Whether a file has the name of one that states settings."""
    return _SETTINGS_FILE.fullmatch(Path(path).name) is not None


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(f for f in folder.iterdir() if f.is_file() and f.stat().st_size <= _LARGEST)
    except OSError:
        return []


def settings_in(file: Path) -> dict[str, Scalar]:
    """The settings of a YAML or JSON file; nothing on failure."""
    import yaml  # takes long, and few logs lie beside a file of settings

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        text = file.read_text(encoding="utf-8-sig", errors="replace")
        document = json.loads(text) if file.suffix.lower() == ".json" else yaml.load(text, loader)  # noqa: S506
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return {}
    return dict(flattened(document)) if isinstance(document, dict) else {}


def _read_pickled(file: Path) -> dict[str, Scalar]:
    try:
        with zipfile.ZipFile(file) as archive:
            names = [name for name in archive.namelist() if name.endswith("/data.pkl")]
            return settings_in_pickle(archive.read(names[0])) if names else {}
    except (OSError, ValueError, zipfile.BadZipFile):
        return {}


def _one_file_each(folder: Path) -> dict[str, Scalar]:
    """MLflow's file store keeps each parameter in a file of its own."""
    settings: dict[str, Scalar] = {}
    for file in _files(folder):
        try:
            settings[file.name] = number_or_text(file.read_text(encoding="utf-8", errors="replace").strip())
        except OSError:
            continue
    return settings


_UNSET = -1
"""How command-line parsers spell "not given" for counts: max_steps=-1."""


_NAMES = frozenset({LOSS_FUNCTION, OPTIMIZER, SCHEDULE, MODEL, DATASET})
"""Facts that are names: `loss = 0.0` states no loss function."""


def facts_from_settings(settings: Mapping[str, Scalar], logs: Sequence[Log]) -> dict[Fact, Scalar]:
    """What settings and logs state of a run, by fact; what a log itself states comes last and wins."""
    facts: dict[Fact, Scalar] = {}
    for name, value in settings.items():
        fact = fact_of(name)
        if fact is None or fact in facts or value == _UNSET:
            continue
        if fact in _NAMES and not isinstance(value, str):
            continue
        if fact is PRECISION and isinstance(value, bool):
            if value:  # fp16=True names the precision by the setting's own name
                facts[fact] = name.rpartition(".")[2]
            continue
        facts[fact] = value
    for log in logs:
        facts.update(log.facts)
    smoothing = next((log.smoothing for log in logs if log.smoothing), "")
    return {**facts, SMOOTHING: smoothing} if smoothing else facts
