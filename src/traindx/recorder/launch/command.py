"""The user's words as a command that can be started, the folder of its run, and the environment it gets."""

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import chain, count, pairwise
from pathlib import Path

import traindx
from traindx.errors import TraindxError

_MODULE = "-m"


@dataclass(frozen=True)
class Command:
    """What to start."""

    program: str
    """The file that is executed."""
    words: tuple[str, ...]
    """What the program sees as its arguments, its own name first, as typed."""

    @property
    def title(self) -> str:
        """What it runs, for a person: the script, else the module, else a file, else the program."""
        script = next((word for word in self.words[1:] if word.endswith(".py")), None)
        file = next((word for word in self.words[1:] if os.path.isfile(word)), None)
        return script or self._module or file or self.words[0]

    @property
    def name(self) -> str:
        """What a run of it is called."""
        if self.title == self._module:
            return as_name(self.title.removesuffix(".__main__").rpartition(".")[2])
        return as_name(os.path.splitext(os.path.basename(self.title))[0])

    @property
    def _module(self) -> str | None:
        return next((word for option, word in pairwise(self.words) if option == _MODULE), None)


def command_from(words: Sequence[str], environment: Mapping[str, str]) -> Command:
    """The command of the words that were typed; raises where it cannot be started."""
    if words[:1] == ["--"]:
        words = words[1:]
        short = False
    else:
        short = bool(words) and (words[0] == _MODULE or words[0].endswith(".py"))
    if not words or not words[0] or words == [_MODULE]:
        raise TraindxError("no command; expected a script (train.py), -m MODULE or -- CMD")
    if short:
        if words[0] != _MODULE:
            _refuse_missing(words[0])
        words = [python(environment), *words]
    return Command(_found(words[0], environment), tuple(words))


def python(environment: Mapping[str, str]) -> str:
    """The interpreter meant by a script alone: ours; the first on the PATH if only that may have torch."""
    if find_spec("torch") is not None:
        return sys.executable
    names = [name for name in ("python", "python3") if shutil.which(name, path=environment.get("PATH"))]
    return names[0] if names else sys.executable


def as_name(text: str) -> str:
    """A text as the name of a folder: letters, digits, dots and dashes."""
    return re.sub(r"[^\w.-]+", "-", text).strip(".-")[:80] or "run"


def _refuse_missing(script: str) -> None:
    if os.path.isdir(script):
        raise TraindxError(f"{script} is a folder, not a script; for a package use -m PACKAGE")
    if not os.path.exists(script):
        raise TraindxError(f"{script}: no such file; check the spelling and the working directory")


def _found(word: str, environment: Mapping[str, str]) -> str:
    """The file a shell would execute."""
    path = shutil.which(word, path=environment.get("PATH"))
    if path is not None:
        return path
    if os.path.isdir(word):
        raise TraindxError(f"{word} is a folder; use the script in it, or -- python {word}")
    if not os.path.isfile(word):
        raise TraindxError(f"{word}: no such command; check the spelling, or use its full path")
    if word.endswith(".py"):
        raise TraindxError(f"{word} is not executable; omit the --, or write -- python {word}")
    raise TraindxError(f"{word} is not executable; run chmod +x {word}, or put the interpreter before it")


_OURS = ".traindx"


def new_run_folder(out: Path, stem: str, name: str | None = None) -> Path:
    """Make OUT/STEM-N with the next free number; with a name OUT/NAME, numbered only where that is taken."""
    if name is not None and (name in ("", ".", "..") or "/" in name or "\0" in name):
        raise TraindxError(f'--name "{name}" is not a folder name; set the parent folder with --out')
    try:
        _make(out)
        candidates = _numbered(out, stem, 1) if name is None else chain([name], _numbered(out, name, 2))
        return _first_free(out, candidates)
    except OSError as error:
        where = out if error.filename is None else error.filename
        raise TraindxError(f"{where}: cannot be written ({error.strerror}); choose another --out") from error


def _make(folder: Path) -> None:
    """Make a folder and those above it; the one that is ours stays out of version control."""
    for parent in reversed([folder, *folder.parents]):
        if parent.is_dir():
            continue
        parent.mkdir(exist_ok=True)
        if parent.name == _OURS:
            (parent / ".gitignore").write_text("*\n")


def _numbered(out: Path, stem: str, first: int) -> Iterator[str]:
    pattern = re.compile(re.escape(stem) + r"-(\d{1,9})")
    taken = [int(match[1]) for entry in os.scandir(out) if (match := pattern.fullmatch(entry.name))]
    return (f"{stem}-{number}" for number in count(max([first - 1, *taken]) + 1))


def _first_free(out: Path, names: Iterator[str]) -> Path:
    for name in names:
        folder = out / name
        try:
            # Making it is what claims it: of two runs that start at once, one goes on to the next number.
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise AssertionError("numbers do not end")


TRIAL = "TRAINDX_TRIAL"
"""The environment variable that tells a program which arm it is."""

USUAL_BUDGET = 0.02
"""The share of a program's time that recording may take: what `traindx run --budget` is by default."""
MOVED = "TRAINDX_MOVED"
"""The environment variable that tells a program which project it is a copy of, and where the copy is."""
NOTES = "changes.jsonl"
"""What was done to the program of an arm, a line each, beside its recording."""
_RECORD = "TRAINDX_RECORD"
_PACKAGE = os.path.dirname(os.path.abspath(traindx.__file__))
_INJECTED = os.path.join(_PACKAGE, "recorder", "launch", "injected")


def end_after(steps: int) -> None:
    """Let the recorder of this process, which is not there yet, end the program after so many steps."""
    settings = json.loads(os.environ[_RECORD])
    os.environ[_RECORD] = json.dumps({**settings, "most_steps": steps})


def recording_environment(
    environment: Mapping[str, str],
    folder: Path,
    *,
    budget: float,
    every: int | None,
    most_steps: int | None = None,
) -> dict[str, str]:
    """The environment for a program whose recordings go into a folder; `budget` is a share of its time.

    After `most_steps` the program ends.
    """
    settings = {
        "folder": os.path.abspath(folder),
        "budget": budget,
        "every": every,
        "most_steps": most_steps,
        "package": os.path.dirname(_PACKAGE),
    }
    # An empty PYTHONPATH means none, but an empty entry in it means the working directory.
    paths = environment.get("PYTHONPATH", "")
    first = f"{_INJECTED}{os.pathsep}{paths}" if paths else _INJECTED
    nested = paths == _INJECTED or paths.startswith(_INJECTED + os.pathsep)
    return {**environment, "PYTHONPATH": paths if nested else first, _RECORD: json.dumps(settings)}
