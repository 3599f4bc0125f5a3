"""Values that are given to a program from outside: on its command line, in configuration files, as defaults.

What is found by its name alone may be something else: whoever writes such a patch has to run it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import islice
from pathlib import Path

from traindx.changes.source.hyperparameter import Option
from traindx.recorder.launch.project import files_of, project_of

_CONFIGURATIONS = (".yaml", ".yml", ".json", ".toml", ".ini", ".cfg", ".conf")
_LARGEST = 200_000
"""Bytes of a file that somebody wrote by hand, at most."""
_MOST = 2_000
"""Files of a project that are looked at."""
_MOST_READ = 64
"""Sources that are parsed: where more mention a name, it says nothing."""
_NOT_MEANT = frozenset("tests test outputs output runs logs checkpoints results multirun build dist".split())
"""Folders whose files do not configure a training: tests, and what programs write."""
_ENTRY = re.compile(
    r"""(?P<quote>["']?)(?P<key>[A-Za-z_][\w.\-]*)(?P=quote)[ \t]*[:=][ \t]*"""
    r"""(?P<mark>["']?)(?P<value>[^\s"',{}\[\]#;]+)(?P=mark)(?=[ \t]*(?:[,}\]#;]|$))""",
    re.MULTILINE,
)
"""A key and a plain value, as YAML, JSON, TOML and INI files all write them."""
_ADDS_OPTION = ("add_argument", "option")
_DEFAULTS = ("default", "value")


@dataclass(frozen=True)
class Written:
    """A value beside its name, in a file."""

    path: Path
    key: str
    value: str
    start: int
    """Where the value begins in the text of the file."""

    def rewritten(self, text: str, value: str) -> str:
        """The text of the file with another value."""
        return text[: self.start] + value + text[self.start + len(self.value) :]


@dataclass(frozen=True)
class Typed:
    """A value on the command line."""

    index: int
    """Of the word it stands in."""
    lead: str
    """What stands before it in this word: "lr=" of "lr=0.5"."""
    value: str
    """Empty for a switch, which has none."""


def named(key: str, option: Option) -> bool:
    """Whether a key, however deep and however spelled, is what an option is called."""
    last = key.lstrip("-+~").rpartition(".")[2].replace("-", "_").lower()
    return any(fnmatchcase(last, name) for name in option.names)


def typed(words: Sequence[str], option: Option, short: dict[str, str]) -> Typed | None:
    """Where an option is given on a command line, the last time it is; None where it is not."""
    latest = None
    for index, word in enumerate(words):
        key, equals, value = word.partition("=")
        if equals and named(key, option):
            latest = Typed(index, key + equals, value)
        elif word.startswith("-") and (named(word, option) or named(short.get(word, ""), option)):
            after = words[index + 1] if index + 1 < len(words) else "-"
            has_value = not after.startswith("-") or _is_number(after)
            latest = Typed(index + 1, "", after) if has_value else Typed(index, word, "")
    return latest


def retyped(words: Sequence[str], at: Typed, value: str) -> list[str]:
    """A command line with another value; a switch is left out."""
    new = [] if not at.value else [at.lead + value]
    return [*words[: at.index], *new, *words[at.index + 1 :]]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def short_options(start: Path) -> dict[str, str]:
    """Short options that a program declares, with the long names beside them: "-b" for "--batch-size"."""
    by_letter: dict[str, str] = {}
    for path in _sources(start):
        for spellings in _spellings(_text(path)):
            longest = max(spellings, key=len)
            by_letter |= {spelled: longest for spelled in spellings if spelled != longest}
    return by_letter


def written(start: Path, words: Sequence[str], option: Option) -> list[Written]:
    """Where a value of an option is written in a project: in what its command names first."""
    paths = [Path(start, word.rpartition("=")[2]) for word in words]
    configurations = [path for path in paths if path.suffix in _CONFIGURATIONS and path.is_file()]
    every = _files(start)
    configurations += [path for path in every if path.suffix in _CONFIGURATIONS]
    sources = [path for path in every if path.suffix == ".py"]
    entries = [entry for path in dict.fromkeys(configurations) for entry in _entries(path)]
    mentioning = ((path, text) for path in sources if _mentions(text := _text(path), option))
    entries += [default for path, text in islice(mentioning, _MOST_READ) for default in _defaults(path, text)]
    return [entry for entry in entries if named(entry.key, option)]


def _mentions(text: str, option: Option) -> bool:
    """Whether a source has the name of an option at all: only then is it worth parsing."""
    plain = text.lower().replace("-", "_")
    return any(all(part in plain for part in name.split("*")) for name in option.names)


def parses_arguments_of_trainer(start: Path) -> bool:
    """Whether a project leaves its command line to Hugging Face: each setting of the trainer is an option."""
    return any("HfArgumentParser" in _text(path) for path in _sources(start))


def _sources(start: Path) -> list[Path]:
    return [path for path in _files(start) if path.suffix == ".py"]


def _files(start: Path) -> tuple[Path, ...]:
    """The files of the project of a directory that a person may have written to configure it."""
    return tuple(_meant(project_of(start)))


def _meant(root: Path) -> Iterator[Path]:
    for number, path in enumerate(files_of([root])):
        if number >= _MOST:
            return
        is_meant = _NOT_MEANT.isdisjoint(path.relative_to(root).parts[:-1])
        if is_meant and path.suffix in (".py", *_CONFIGURATIONS) and path.stat().st_size <= _LARGEST:
            yield path


def _text(path: Path) -> str:
    """What a file holds now; empty where it cannot be read as text."""
    try:
        return _read(path, path.stat().st_mtime_ns)
    except (OSError, UnicodeDecodeError):
        return ""


@lru_cache(maxsize=_MOST)
def _read(path: Path, _: int) -> str:
    return path.read_bytes().decode("utf-8")


def _entries(path: Path) -> Iterator[Written]:
    for match in _ENTRY.finditer(_text(path)):
        yield Written(path, match["key"], match["value"], match.start("value"))


def _spellings(text: str) -> Iterator[list[str]]:
    """How each option that a source declares is spelled."""
    if not any(name in text for name in _ADDS_OPTION):
        return
    for node in _nodes(text):
        if isinstance(node, ast.Call) and _called(node) in _ADDS_OPTION:
            names = [arg.value for arg in node.args if isinstance(arg, ast.Constant)]
            spelled = [name for name in names if isinstance(name, str) and name.startswith("-")]
            if len(spelled) > 1:
                yield spelled


@lru_cache(maxsize=512)
def _nodes(text: str) -> tuple[ast.AST, ...]:
    try:
        return tuple(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        return ()


def _defaults(path: Path, text: str) -> Iterator[Written]:
    """Values beside a name in a source: options, settings of a class, entries, keywords, parameters."""
    lines = text.splitlines(keepends=True)
    for key, node in _pairs(text):
        constant = _constant(node)
        if constant is None or constant.end_lineno != constant.lineno:
            continue
        line = lines[constant.lineno - 1].encode()
        value = line[constant.col_offset : constant.end_col_offset].decode()
        before = sum(map(len, lines[: constant.lineno - 1])) + len(line[: constant.col_offset].decode())
        bare = value.strip("\"'")
        yield Written(path, key, bare, before + value.index(bare))


@lru_cache(maxsize=512)
def _pairs(text: str) -> tuple[tuple[str, ast.expr], ...]:
    """What is given a value in a source, each with the value."""
    return tuple(_assigned(text))


def _assigned(text: str) -> Iterator[tuple[str, ast.expr]]:
    for node in _nodes(text):
        if isinstance(node, ast.Call):
            yield from _of_call(node)
        elif isinstance(node, ast.Dict):
            keys = [(key, value) for key, value in zip(node.keys, node.values, strict=True) if key]
            yield from ((str(key.value), value) for key, value in keys if isinstance(key, ast.Constant))
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            yield _target(node.targets[0]), node.value
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield _target(node.target), node.value
        elif isinstance(node, ast.arguments):
            places = [*node.posonlyargs, *node.args]
            behind = places[len(places) - len(node.defaults) :]
            yield from (
                (parameter.arg, value) for parameter, value in zip(behind, node.defaults, strict=True)
            )
            named_only = zip(node.kwonlyargs, node.kw_defaults, strict=True)
            yield from ((parameter.arg, value) for parameter, value in named_only if value is not None)


def _of_call(node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    if _called(node) not in _ADDS_OPTION:
        yield from ((keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg)
        return
    names = [str(arg.value) for arg in node.args if isinstance(arg, ast.Constant)]
    default = next((keyword.value for keyword in node.keywords if keyword.arg == "default"), None)
    if names and default is not None:
        yield max(names, key=len), default


def _called(node: ast.Call) -> str:
    func = node.func
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _target(node: ast.expr) -> str:
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _constant(node: ast.expr) -> ast.expr | None:
    """The literal of a value, also inside of field(default=0.1) or typer.Option(0.1)."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float | str):
        return node
    if isinstance(node, ast.Call):
        inside = [keyword.value for keyword in node.keywords if keyword.arg in _DEFAULTS] or node.args[:1]
        return next((constant for constant in inside if isinstance(constant, ast.Constant)), None)
    return None
