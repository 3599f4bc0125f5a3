"""Writes changes into the source of a program, as a patch."""

import difflib
import sys
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import libcst as cst

from traindx.changes.source.literal import CommandLineError, arguments_of
from traindx.changes.source.source import Source
from traindx.changes.types import (
    NOT_IN_SOURCE,
    Around,
    Change,
    ChangeSpec,
    Edited,
    New,
    Refusal,
    RefusedError,
    known_changes,
)
from traindx.facts import SCRIPT
from traindx.readers.loading.program_run import started_in
from traindx.run import Run

_INSTALLED = ("site-packages", "dist-packages")
_SEMICOLON = cst.Semicolon(whitespace_after=cst.SimpleWhitespace(" "))

Left = cst.CSTNode | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNode]


def rewritten_source(source: Source, edited: Edited) -> Source:
    """The source after an edit; what the edit does not name stays as it is, to the byte."""
    module = source.module.visit(_Rewriter(edited.parts))
    assert isinstance(module, cst.Module)
    return replace(source, text=module.code)


class _Rewriter(cst.CSTTransformer):
    def __init__(self, parts: Mapping[cst.CSTNode, New]) -> None:
        super().__init__()
        self._parts = parts

    def on_leave(self, original_node: cst.CSTNodeT, updated_node: cst.CSTNodeT) -> Left:  # type: ignore[override]  # any node may be named
        new = self._parts.get(original_node)
        if new is None:
            return updated_node
        if isinstance(new, cst.CSTNode):
            # What it keeps of the old may hold parts that are named too.
            return new.visit(self)
        if not isinstance(new, Around):
            return new
        if isinstance(updated_node, cst.BaseSmallStatement):
            return _within_line(updated_node, new)
        return _around_lines(updated_node, new)


def _around_lines(node: cst.CSTNode, new: Around) -> cst.FlattenSentinel[cst.CSTNode]:
    ahead: list[cst.CSTNode] = [cst.parse_statement(text) for text in new.before]
    if ahead and isinstance(
        node, cst.SimpleStatementLine | cst.With | cst.For | cst.While | cst.If | cst.Try
    ):
        # What is written above a statement stays above what is put before it.
        ahead[0] = ahead[0].with_changes(leading_lines=node.leading_lines)
        node = node.with_changes(leading_lines=())
    return cst.FlattenSentinel([*ahead, node, *map(cst.parse_statement, new.after)])


def _within_line(node: cst.BaseSmallStatement, new: Around) -> cst.FlattenSentinel[cst.CSTNode]:
    """As in "loss.backward(); opt.step()", or behind a colon."""
    smalls = [*map(_small, new.before), node, *map(_small, new.after)]
    last = smalls.pop()
    with_marks = [small.with_changes(semicolon=_SEMICOLON) for small in smalls]
    return cst.FlattenSentinel([*with_marks, last.with_changes(semicolon=node.semicolon)])


def _small(text: str) -> cst.BaseSmallStatement:
    line = cst.parse_statement(text)
    assert isinstance(line, cst.SimpleStatementLine)
    return line.body[0]


@dataclass(frozen=True)
class Patch:
    """One file of the user, before and after."""

    path: str
    """Absolute."""
    before: str
    after: str
    says: str
    """What is edited and where: "lr=2.0 -> lr=0.02 at train.py:31"."""
    encoding: str = "utf-8"
    arguments: tuple[str, ...] | None = None
    """The arguments of the program after it, where it is the command line that changes: `path` is empty then,
    and `before` and `after` are the command."""
    replaced: int = 0
    """How many words at the end of the command these arguments take the place of."""
    also: tuple["Patch", ...] = ()
    """The same for other files: only together they do what was proven."""

    @property
    def files(self) -> tuple["Patch", ...]:
        """The patch of each file, this one first."""
        return self, *self.also

    @property
    def content(self) -> bytes:
        """The file after the patch, in the encoding it had."""
        return self.after.encode(self.encoding)

    @property
    def diff(self) -> str:
        """A unified diff that `git apply` and `patch -p1` take from the working directory.

        Neither leaves the directory it is called in: for a file outside of the working one, call it in
        the folder of that file.
        """
        if self.arguments is not None:
            return f"-{self.before}\n+{self.after}\n"
        return "".join(file._own_diff for file in self.files)

    @property
    def _own_diff(self) -> str:
        path, here = Path(self.path), Path.cwd()
        name = path.relative_to(here).as_posix() if path.is_relative_to(here) else path.name
        lines = difflib.unified_diff(_lines(self.before), _lines(self.after), f"a/{name}", f"b/{name}")
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )


def patch_of(changes: Sequence[ChangeSpec], run: Run) -> Patch | None:
    """The patch that does the same as all the changes; None where no edit can express them."""
    try:
        return _patched(changes, run)
    except RefusedError:
        return None


def refusal_of(changes: Sequence[ChangeSpec], run: Run) -> str:
    """Why no patch can express the changes; empty where one can."""
    try:
        _patched(changes, run)
    except RefusedError as refused:
        return str(refused)
    return ""


def arguments_for(changes: Sequence[ChangeSpec], run: Run) -> tuple[list[str], list[str]] | None:
    """The arguments of the program as they are and as they should be; None where they decide nothing."""
    try:
        _patched(changes, run)
    except CommandLineError as typed:
        if typed.value is None:
            return None
        words, number = arguments_of(run), f"{typed.value:g}"
        new = [f"{typed.option}={number}" if word.startswith(f"{typed.option}=") else word for word in words]
        last = max((index for index, word in enumerate(words[:-1]) if word == typed.option), default=None)
        if last is not None:
            new[last + 1] = number
        return words, new
    except RefusedError:
        return None
    return None


def _patched(specs: Sequence[ChangeSpec], run: Run) -> Patch:
    by_file: dict[str, list[tuple[Change, ChangeSpec]]] = {}
    for spec in specs:
        change = _editable(spec)
        by_file.setdefault(_file_of(change, run), []).append((change, spec))
    return together([_of_file(shown, edits, run) for shown, edits in by_file.items()])


def together(patches: Sequence[Patch]) -> Patch:
    """Patches of several files as one; refused where two change the same file."""
    if not patches:
        raise RefusedError("there is no change")
    paths = [patch.path for patch in patches]
    if len(set(paths)) < len(paths):
        raise RefusedError(f"the changes of {', '.join(dict.fromkeys(paths))} are written in several ways")
    first, *others = patches
    return replace(first, says="; ".join(patch.says for patch in patches), also=tuple(others))


def _of_file(shown: str, edits: Sequence[tuple[Change, ChangeSpec]], run: Run) -> Patch:
    path = _user_file(shown, run)
    text, encoding = read_source(path, shown)
    source = _source(shown, text)
    says = []
    for change, spec in edits:
        assert not isinstance(change.edit, Refusal)
        try:
            edited = change.edit(source, spec, run)
        except cst.ParserSyntaxError as error:
            raise RefusedError(f"syntax error at {source.shown}:{error.raw_line}") from error
        source = rewritten_source(source, edited)
        says.append(edited.says)
    _check(source)
    return Patch(str(path), text, source.text, "; ".join(says), encoding)


def _editable(spec: ChangeSpec) -> Change:
    """The change that a text names; refused where no machine can write it into source."""
    change = known_changes().get(spec.name)
    refusal = NOT_IN_SOURCE if change is None else change.edit
    if isinstance(refusal, Refusal):
        raise RefusedError(refusal.why.format(change=spec))
    assert change is not None
    return change


@lru_cache(maxsize=4)
def _source(shown: str, text: str) -> Source:
    """A file, parsed once however many edits are asked for it."""
    return Source(shown, text, text)


def _file_of(change: Change, run: Run) -> str:
    """The file that an edit is made in, as the run spells it."""
    for fact in change.edited_file:
        location = str(run.facts.get(fact, ""))
        path = location if fact is SCRIPT else location.rpartition(":")[0]
        if path:
            return path
    raise RefusedError("the run has no source file")


def _user_file(shown: str, run: Run) -> Path:
    path = started_in(run, shown) / shown
    installed = any(part in _INSTALLED for part in path.parts) or path.is_relative_to(
        Path(sys.base_prefix) / "lib"
    )
    if installed:
        raise RefusedError(f"{shown} is an installed file")
    if not path.is_file() or path.suffix not in (".py", ""):
        raise RefusedError(f"no Python file {shown} here")
    return path


def read_source(path: Path, shown: str) -> tuple[str, str]:
    """The text of a file with its line ends, and its encoding."""
    content = path.read_bytes()
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(content).readline)
        return content.decode(encoding), encoding
    except (SyntaxError, UnicodeDecodeError) as error:
        raise RefusedError(f"{shown} is not readable as text: {error}") from error


def _check(source: Source) -> None:
    if source.text == source.original:
        raise RefusedError(f"{source.shown} already does this")
    try:
        compile(source.text, source.shown, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise RefusedError(f"the edit would break the syntax at {source.shown}:{error.lineno}") from error


def _lines(text: str) -> list[str]:
    """Lines with their ends, as patches count them: at line feeds only."""
    parts = text.split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
