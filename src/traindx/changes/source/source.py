"""One file of the user's program, parsed so that its layout survives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from traindx.changes import cst
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
        for one in self.around(node):
            # A default value or a decorator stands in the scope around its function.
            if isinstance(one, cst.FunctionDef) and inside is one.body:
                return one
            inside = one
        return self.module

    def class_around(self, node: cst.CSTNode) -> cst.ClassDef | None:
        """The class a node stands in."""
        return next((one for one in self.around(node) if isinstance(one, cst.ClassDef)), None)

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
