"""One file of the user's program, parsed so that its layout survives; statements put in or taken out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from traindx.changes import cst
from traindx.changes.types import Around, New, RefusedError
from traindx.run import Fact, Run

if TYPE_CHECKING:
    from libcst.metadata import CodeRange


Node = TypeVar("Node", bound="cst.CSTNode")


@dataclass(frozen=True, eq=False)
class Source:
    """A file as it is after the edits made so far."""

    shown: str
    """The path as the run spells it."""
    original: str
    """The text before any edit: what the lines of the run's places count."""
    text: str

    @property
    def _tree(self) -> _Tree:
        return _parsed(self.text)

    @property
    def module(self) -> cst.Module:
        """The parsed file; its nodes are what edits replace."""
        return self._tree.module

    def nodes(self, within: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """Every node inside of a node, itself included, in the order of the text."""
        yield within
        for child in self.children(within):
            yield from self.nodes(child)

    def children(self, node: cst.CSTNode) -> Sequence[cst.CSTNode]:
        """The nodes directly inside of a node."""
        return self._tree.children.get(node, ())

    def all(self, kind: type[Node], within: cst.CSTNode | None = None) -> list[Node]:
        """Every node of a kind, in the order of the text."""
        nodes = self._tree.nodes if within is None else self.nodes(within)
        return [node for node in nodes if isinstance(node, kind)]

    @property
    def is_run(self) -> bool:
        """Whether the file does something by itself, rather than define what others import."""
        defines = (cst.FunctionDef, cst.ClassDef)
        return any(not isinstance(part, defines) and self._calls(part) for part in self.module.body)

    def _calls(self, part: cst.CSTNode) -> bool:
        return any(
            isinstance(node, cst.Expr) and isinstance(node.value, cst.Call) for node in self.nodes(part)
        )

    def code(self, node: cst.CSTNode) -> str:
        """The text of a node."""
        return self.module.code_for_node(node).strip()

    def callee(self, call: cst.Call) -> str:
        """What a call calls, and where: "optim.SGD at train.py:31"."""
        return f"{self.code(call.func)} at {self.place(call)}"

    def operand(self, node: cst.BaseExpression) -> str:
        """The text of an expression as a part of a larger one: in brackets where it would fall apart."""
        whole = isinstance(node, cst.Name | cst.Attribute | cst.Subscript | cst.Call) or node.lpar
        return self.code(node) if whole else f"({self.code(node)})"

    def lines(self, node: cst.CSTNode) -> tuple[int, int]:
        """The first and last line of a node."""
        position = self._tree.positions[node]
        return position.start.line, position.end.line

    def is_at(self, node: cst.CSTNode, line: int) -> bool:
        """Whether a line is one of a node's."""
        first, last = self.lines(node)
        return first <= line <= last

    def place(self, node: cst.CSTNode) -> str:
        """Where a node begins: "train.py:31"."""
        return f"{self.shown}:{self.lines(node)[0]}"

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around a node; None around the module."""
        return self._tree.parents.get(node)

    def around(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around a node, from the inside out."""
        parent = self.parent(node)
        while parent is not None:
            yield parent
            parent = self.parent(parent)

    def scope(self, node: cst.CSTNode) -> cst.FunctionDef | cst.Module:
        """The function a node stands in, else the module."""
        inside = node
        for outer in self.around(node):
            # A default value or a decorator stands in the scope around its function.
            if isinstance(outer, cst.FunctionDef) and inside is outer.body:
                return outer
            inside = outer
        return self.module

    def class_around(self, node: cst.CSTNode) -> cst.ClassDef | None:
        """The class a node stands in."""
        return next((outer for outer in self.around(node) if isinstance(outer, cst.ClassDef)), None)

    def line_of(self, run: Run, *facts: Fact) -> int | None:
        """The present line of the first place the run knows in this file."""
        for fact in facts:
            path, _, line = str(run.facts.get(fact, "")).rpartition(":")
            if path == self.shown and line.isdigit():
                return self._moved(int(line))
        return None

    def _moved(self, line: int) -> int:
        """Where a line of the original is now."""
        if self.text == self.original:
            return line
        before, after = self.original.split("\n"), self.text.split("\n")
        for tag, start, end, new_start, new_end in SequenceMatcher(None, before, after, False).get_opcodes():
            if start <= line - 1 < end:
                same = tag == "equal" or end - start == new_end - new_start
                # Lines put before a changed one push it to the end of what replaced it.
                return line - start + new_start if same else new_end - (end - line)
        return line


@dataclass(frozen=True, eq=False)
class _Tree:
    """A text as nodes, with where they stand."""

    module: cst.Module
    positions: Mapping[cst.CSTNode, CodeRange]
    parents: Mapping[cst.CSTNode, cst.CSTNode]
    children: Mapping[cst.CSTNode, Sequence[cst.CSTNode]]
    nodes: Sequence[cst.CSTNode]
    """All of them, in the order of the text."""


@lru_cache(maxsize=8)
def _parsed(text: str) -> _Tree:
    """Kept for the edits that are asked next: many changes are tried on one file."""
    from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider

    wrapper = MetadataWrapper(cst.parse_module(text))
    parents = wrapper.resolve(ParentNodeProvider)
    # Asking each node for its children visits it anew, which takes most of the time of an edit.
    children: dict[cst.CSTNode, list[cst.CSTNode]] = {}
    for child, parent in parents.items():
        children.setdefault(parent, []).append(child)
    nodes: list[cst.CSTNode] = []
    waiting: list[cst.CSTNode] = [wrapper.module]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        waiting += reversed(children.get(node, []))
    return _Tree(wrapper.module, wrapper.resolve(PositionProvider), parents, children, nodes)


def small_statement(source: Source, node: cst.CSTNode) -> cst.BaseSmallStatement:
    """The simple statement a node is part of."""
    for outer in (node, *source.around(node)):
        if isinstance(outer, cst.BaseSmallStatement):
            return outer
    raise AssertionError("whoever asks has found the node in a simple statement")


def before(source: Source, node: cst.CSTNode, *texts: str) -> dict[cst.CSTNode, New]:
    """Statements put before the one a node is part of."""
    return {_fitting(source, _whole(source, node, first=True), texts): Around(before=texts)}


def after(source: Source, node: cst.CSTNode, *texts: str) -> dict[cst.CSTNode, New]:
    """Statements put behind the one a node is part of."""
    return {_fitting(source, _whole(source, node, first=False), texts): Around(after=texts)}


def first_in(source: Source, block: cst.BaseSuite, *texts: str) -> dict[cst.CSTNode, New]:
    """Statements put first into a block, behind its docstring."""
    body = list(block.body)
    if _is_docstring(body[0]) and len(body) > 1:
        return before(source, body[1], *texts)
    return before(source, body[0], *texts)


def under(source: Source, node: cst.CSTNode, test: str, *others: str) -> dict[cst.CSTNode, New]:
    """The statement a node is part of under a condition, with other statements behind it."""
    small = small_statement(source, node)
    line = source.parent(small)
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        raise RefusedError(f"several statements on one line at {source.place(node)}")
    body = "\n".join(f"    {other_code}" for other_code in (source.code(small), *others))
    new = cst.parse_statement(f"if {test}:\n{body}\n")
    assert isinstance(new, cst.If)
    first, *more = new.body.body
    assert isinstance(first, cst.SimpleStatementLine)
    kept = first.with_changes(trailing_whitespace=line.trailing_whitespace)
    block = new.body.with_changes(body=[kept, *more])
    return {line: new.with_changes(leading_lines=line.leading_lines, body=block)}


def removed(source: Source, node: cst.CSTNode) -> dict[cst.CSTNode, New]:
    """The statement a node is part of, taken out."""
    if isinstance(node, cst.BaseCompoundStatement):
        return {node: cst.RemoveFromParent()}
    small = small_statement(source, node)
    line = source.parent(small)
    alone = isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1
    return {line if alone and line is not None else small: cst.RemoveFromParent()}


def _whole(source: Source, node: cst.CSTNode, *, first: bool) -> cst.CSTNode:
    """The line of a statement where it ends or begins it; else the statement, as in "a(); b()"."""
    if isinstance(node, cst.BaseStatement):
        return node
    small = small_statement(source, node)
    line = source.parent(small)
    if isinstance(line, cst.SimpleStatementLine) and line.body[0 if first else -1] is small:
        return line
    return small


def _fitting(source: Source, whole: cst.CSTNode, texts: tuple[str, ...]) -> cst.CSTNode:
    """A loop or a condition cannot stand in the middle of a line."""
    if isinstance(whole, cst.BaseSmallStatement) and any("\n" in text for text in texts):
        raise RefusedError(f"several statements on one line at {source.place(whole)}")
    return whole


def _is_docstring(node: cst.CSTNode) -> bool:
    if not isinstance(node, cst.SimpleStatementLine):
        return False
    first = node.body[0]
    return isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString | cst.ConcatenatedString)
