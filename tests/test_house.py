"""The layout that CONTRIBUTING.md draws: what would wear it down is caught here."""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

import traindx
from traindx.catalogue import modules
from traindx.diagnosis import knowledge
from traindx.interview.claims import CLAIMS
from traindx.interview.complaints import COMPLAINTS

PACKAGE = Path(traindx.__file__).parent
SOURCES = [path for path in PACKAGE.rglob("*.py") if "demo" not in path.relative_to(PACKAGE).parts]

# They fit every variable, and so say nothing of any.
ALL_PURPOSE = {"one", "found", "place", "seen", "given", "told", "these", "those"}

UNITS = {
    "traindx.causes": "traindx.cause.Cause",
    "traindx.changes": "traindx.changes.types.Change",
    "traindx.exams.data_exam.checks": "traindx.exams.questions.Check",
    "traindx.exams.preflight.checks": "traindx.exams.questions.Check",
    "traindx.interview.questions": "traindx.interview.questions.types.Question",
    "traindx.readers": "traindx.readers.types.Reader",
    "traindx.signs": "traindx.finding.Sign",
}


def _name(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def test_the_top_of_the_package_can_be_taken_in_at_a_glance() -> None:
    entries = [path.name for path in PACKAGE.iterdir() if path.name != "__pycache__"]
    assert len(entries) <= 34, sorted(entries)


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_a_file_has_one_subject(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 300


@pytest.mark.parametrize("path", SOURCES, ids=_name)
def test_a_loop_variable_names_its_element(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    loops = (node for node in ast.walk(tree) if isinstance(node, ast.For | ast.AsyncFor | ast.comprehension))
    names = [name for loop in loops for name in ast.walk(loop.target) if isinstance(name, ast.Name)]
    assert not [f"line {name.lineno}: for {name.id}" for name in names if name.id in ALL_PURPOSE]


@pytest.mark.parametrize("package", ["traindx", "traindx.exams"])
def test_no_module_hides_a_public_function_of_its_name(package: str) -> None:
    module = importlib.import_module(package)
    functions = {name for name in module.__all__ if inspect.isfunction(getattr(module, name))}
    assert functions
    assert functions.isdisjoint(info.name for info in pkgutil.iter_modules(module.__path__))


@pytest.mark.parametrize(("folder", "kind"), UNITS.items(), ids=UNITS)
def test_every_module_of_a_walked_folder_declares_a_unit(folder: str, kind: str) -> None:
    home, _, name = kind.rpartition(".")
    unit = getattr(importlib.import_module(home), name)
    by_name = {
        module.__name__: list(vars(module).values()) for module in modules(importlib.import_module(folder))
    }
    assert by_name
    assert not [name for name, held in by_name.items() if not any(isinstance(value, unit) for value in held)]


def test_causes_are_named_by_themselves_and_not_by_strings() -> None:
    slugs = {cause.slug for cause in knowledge.causes()}
    # Complaints and claims have slugs of their own, and some are called like a cause.
    own: dict[str, Collection[str]] = {"interview/complaints.py": COMPLAINTS, "interview/claims.py": CLAIMS}
    named = [
        f"{_name(path)}:{line}: {value}"
        for path in SOURCES
        if path.parent.name != "causes"
        for line, value in _strings(path)
        if value in slugs and value not in own.get(_name(path), ())
    ]
    assert not named


def _strings(path: Path) -> Iterator[tuple[int, str]]:
    """Every string of a file, with its line; docstrings are strings that equal no slug."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
