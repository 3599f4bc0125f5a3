"""Every number that a sign uses has a name, and every name a source in bench/thresholds.md."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "traindx"
FILES = [path for room in ("curves", "signs", "causes") for path in sorted((SOURCE / room).glob("*.py"))]
THRESHOLDS = (Path(__file__).parents[2] / "bench" / "thresholds.md").read_text(encoding="utf-8")
PLAIN = (-1, 0, 1, 2, 100)
"""Numbers that mean themselves: none, all, half and double, percent."""


def is_number(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def bare_numbers(source: str) -> list[str]:
    """The numbers in the bodies of functions that have no name.

    Not meant are the plain ones, whole numbers in the index of an array, and what `//` divides by: it counts
    equal parts, as the quarters of a series. Defaults of keywords have a name, decorators what was fitted.
    """
    bare = []
    for function in _functions(source):
        nodes = [node for statement in function.body for node in ast.walk(statement)]
        spared = {id(part) for node in nodes for part in _spared(node)}
        bare += [
            f"{function.name}, line {node.lineno}: {node.value!r}"
            for node in nodes
            if isinstance(node, ast.Constant) and is_number(node) and id(node) not in spared
            if node.value not in PLAIN
        ]
    return bare


def _functions(source: str) -> Iterator[ast.FunctionDef]:
    """The functions of a module and the methods of its classes."""
    body = ast.parse(source).body
    inner = [statement for node in body if isinstance(node, ast.ClassDef) for statement in node.body]
    return (node for node in (*body, *inner) if isinstance(node, ast.FunctionDef))


def _spared(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Subscript):
        yield from (
            part
            for part in ast.walk(node.slice)
            if isinstance(part, ast.Constant) and type(part.value) is int
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv) and is_number(node.right):
        yield node.right


def unsourced(source: str, page: str, *, unused: bool = False) -> list[str]:
    """The constants of a module with a number in them whose docstring names no entry of the page.

    Without `unused`, those that no function of the module uses are not meant: a cause has numbers of the fit.
    """
    body = ast.parse(source).body
    used = {
        node.id
        for function in _functions(source)
        for node in ast.walk(function)
        if isinstance(node, ast.Name)
    }
    lines = []
    for node, after in zip(body, [*body[1:], None], strict=True):
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not any(map(is_number, ast.walk(node))):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        names = {name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)}
        if (unused or names & used) and not _has_entry(after, page):
            lines.append(", ".join(sorted(names)))
    return lines


def _has_entry(node: ast.stmt | None, page: str) -> bool:
    said = ast.unparse(node) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) else ""
    anchor = re.search(r"bench/thresholds\.md#([a-z-]+)", said)
    return anchor is not None and f'<a id="{anchor[1]}"></a>' in page


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_number_without_a_name(path: Path) -> None:
    assert bare_numbers(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_constant_without_a_source(path: Path) -> None:
    source, unused = path.read_text(encoding="utf-8"), path.parent.name != "causes"
    assert unsourced(source, THRESHOLDS, unused=unused) == []


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("return loss > 0.05 * limit", ["f, line 2: 0.05"]),
        ("return -3", ["f, line 2: 3"]),
        ("return graded(loss, limit, least=0.5)", ["f, line 2: 0.5"]),
        ("return loss[:3], loss[len(loss) // 4 :]", []),
        ("return loss[loss > 0.3]", ["f, line 2: 0.3"]),
        ("return len(loss) // 4 + 1 / 2", []),
        ("return 5 // len(loss)", ["f, line 2: 5"]),
        ("return f'{100 * loss:.3f}'", []),
    ],
)
def test_a_bare_number_is_seen(line: str, numbers: list[str]) -> None:
    assert bare_numbers(f"def f(loss, *, limit=0.3):\n    {line}\n") == numbers


@pytest.mark.parametrize(
    ("docstring", "is_sourced"),
    [
        ("", False),
        ('"""Some number."""', False),
        ('"""Some number; bench/thresholds.md#nowhere."""', False),
        ('"""Some number; bench/thresholds.md#parts."""', True),
    ],
)
@pytest.mark.parametrize("declared", ["_PART = 0.3", "_PART: float = 0.3", "_PART, _MORE = 0.3, 0.4"])
def test_a_constant_without_a_source_is_seen(declared: str, docstring: str, is_sourced: bool) -> None:
    module = f"{declared}\n{docstring}\n\ndef f(loss):\n    return _PART * loss\n"
    assert bool(unsourced(module, '<a id="parts"></a>')) is not is_sourced
