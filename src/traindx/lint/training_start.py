"""Whether importing a script would start a training run, told from its source.

for batch in loader:            at module level: importing the file trains
    loss.backward()

if __name__ == "__main__":      not when the file is imported
    main()
"""

import ast
from collections.abc import Iterator

_TRAINS = frozenset(("backward", "fit", "step"))
"""Methods that only a training run calls."""
_DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


def training_at_import(source: str) -> int | None:
    """The line at which importing a source would start to train; None if it would not, or cannot be read."""
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    functions = {one.name for one in module.body if isinstance(one, ast.FunctionDef) and _calls_training(one)}
    lines = [
        call.lineno
        for statement in module.body
        if not _is_main_guard(statement)
        for call in _calls(statement)
        if _trains(call) or (isinstance(call.func, ast.Name) and call.func.id in functions)
    ]
    return min(lines, default=None)


def _calls_training(function: ast.FunctionDef) -> bool:
    return any(_trains(call) for statement in function.body for call in _calls(statement))


def _trains(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in _TRAINS


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    """The calls that run when a statement does: those inside of definitions do not."""
    if isinstance(node, _DEFINITIONS):
        return
    if isinstance(node, ast.Call):
        yield node
    for child in ast.iter_child_nodes(node):
        if not _is_main_guard(child):
            yield from _calls(child)


def _is_main_guard(node: ast.AST) -> bool:
    """Whether it is `if __name__ == "__main__":`."""
    if not isinstance(node, ast.If):
        return False
    return any(isinstance(one, ast.Name) and one.id == "__name__" for one in ast.walk(node.test))
