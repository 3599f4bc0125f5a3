"""Statements of a source that keep parameters from learning."""

import libcst as cst

from traindx.changes.source.source import Source
from traindx.changes.source.statements import small_statement
from traindx.changes.source.words import last_name


def freezing(source: Source) -> list[cst.CSTNode]:
    """Statements that take the gradient of parameters away: loops that do nothing else, or single ones."""
    told = [
        one for one in source.all(cst.Assign) if source.code(one.targets[0].target).endswith(".requires_grad")
    ]
    found: list[cst.CSTNode] = [_loop(source, one) or one for one in told if source.code(one.value) != "True"]
    for call in source.all(cst.Call):
        given = [source.code(arg.value) for arg in call.args]
        if last_name(call.func) == "requires_grad_" and given == ["False"]:
            small = small_statement(source, call)
            found.append(_loop(source, small) or small)
    return list(dict.fromkeys(found))


def _loop(source: Source, small: cst.BaseSmallStatement) -> cst.For | None:
    """The loop over parameters that holds one statement and nothing else."""
    for one in source.around(small):
        if isinstance(one, cst.For):
            alone = isinstance(one.body, cst.IndentedBlock) and len(one.body.body) == 1
            return one if alone and "parameters()" in source.code(one.iter) else None
        if isinstance(one, cst.FunctionDef | cst.ClassDef):
            return None
    return None
