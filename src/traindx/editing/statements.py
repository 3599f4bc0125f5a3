"""Statements put into a source, or taken out of it."""

import libcst as cst

from traindx.editing.edit import Around, New
from traindx.editing.source import Source


def small_statement(source: Source, node: cst.CSTNode) -> cst.BaseSmallStatement:
    """The simple statement a node is part of."""
    for one in (node, *source.around(node)):
        if isinstance(one, cst.BaseSmallStatement):
            return one
    raise AssertionError("whoever asks has found the node in a simple statement")


def before(source: Source, node: cst.CSTNode, *texts: str) -> dict[cst.CSTNode, New]:
    """Statements put before the one a node is part of."""
    return {_whole(source, node, first=True): Around(before=texts)}


def after(source: Source, node: cst.CSTNode, *texts: str) -> dict[cst.CSTNode, New]:
    """Statements put behind the one a node is part of."""
    return {_whole(source, node, first=False): Around(after=texts)}


def first_in(source: Source, block: cst.BaseSuite, *texts: str) -> dict[cst.CSTNode, New]:
    """Statements put first into a block, behind its docstring."""
    body = list(block.body)
    if _is_docstring(body[0]) and len(body) > 1:
        return before(source, body[1], *texts)
    return before(source, body[0], *texts)


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


def _is_docstring(one: cst.CSTNode) -> bool:
    if not isinstance(one, cst.SimpleStatementLine):
        return False
    first = one.body[0]
    return isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString | cst.ConcatenatedString)
