"""Statements put into a source, or taken out of it."""

from __future__ import annotations

from traindx.changes import cst
from traindx.changes.source.source import Source
from traindx.changes.types import Around, New, RefusedError


def small_statement(source: Source, node: cst.CSTNode) -> cst.BaseSmallStatement:
    """The simple statement a node is part of."""
    for one in (node, *source.around(node)):
        if isinstance(one, cst.BaseSmallStatement):
            return one
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
    body = "\n".join(f"    {one}" for one in (source.code(small), *others))
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
    if isinstance(whole, cst.BaseSmallStatement) and any("\n" in one for one in texts):
        raise RefusedError(f"several statements on one line at {source.place(whole)}")
    return whole


def _is_docstring(one: cst.CSTNode) -> bool:
    if not isinstance(one, cst.SimpleStatementLine):
        return False
    first = one.body[0]
    return isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString | cst.ConcatenatedString)
