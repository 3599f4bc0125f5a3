"""Writes the parts that an edit names into a source."""

from dataclasses import replace

import libcst as cst

from traindx.changes.source.edit import Around, Edited, Parts
from traindx.changes.source.source import Source

_SEMICOLON = cst.Semicolon(whitespace_after=cst.SimpleWhitespace(" "))

Left = cst.CSTNode | cst.RemovalSentinel | cst.FlattenSentinel[cst.CSTNode]


def rewritten_source(source: Source, edited: Edited) -> Source:
    """The source after an edit; what the edit does not name stays as it is, to the byte."""
    module = source.module.visit(_Rewriter(edited.parts))
    assert isinstance(module, cst.Module)
    return replace(source, text=module.code)


class _Rewriter(cst.CSTTransformer):
    def __init__(self, parts: Parts) -> None:
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
    with_marks = [one.with_changes(semicolon=_SEMICOLON) for one in smalls]
    return cst.FlattenSentinel([*with_marks, last.with_changes(semicolon=node.semicolon)])


def _small(text: str) -> cst.BaseSmallStatement:
    line = cst.parse_statement(text)
    assert isinstance(line, cst.SimpleStatementLine)
    return line.body[0]
