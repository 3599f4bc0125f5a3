"""Where points stand: in the cause files, which the fit rewrites; the authors' own in starting_points.json.

A clue that starting_points.json does not list yet is new: what its file says is what its author gave it, and
the next fit lists it.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from traindx.cause import Clue

STARTING_POINTS = Path(__file__).with_name("starting_points.json")
PACKAGE = Path(__file__).parents[2] / "src" / "traindx"


@dataclass(frozen=True)
class ClueTable:
    """The prior of a cause, and the points of its clues for yes and for no, by sign."""

    prior: float
    clues: Mapping[str, tuple[float, float]]


def table_of(prior: float, clues: Iterable[Clue]) -> ClueTable:
    """The points as they are declared."""
    return ClueTable(prior, {clue.sign.slug: (clue.seen, clue.unseen) for clue in clues})


def starting(declared: Mapping[str, ClueTable], path: Path = STARTING_POINTS) -> dict[str, ClueTable]:
    """The points that authors gave the clues that are declared."""
    listed = _read(path)
    found = {}
    for slug, now in declared.items():
        before = listed.get(slug, now)
        clues = {name: before.clues.get(name, pair) for name, pair in now.clues.items()}
        found[slug] = ClueTable(before.prior, clues)
    return found


def _read(path: Path) -> dict[str, ClueTable]:
    tables = json.loads(path.read_text(encoding="utf-8"))
    return {
        slug: ClueTable(
            table["prior"], {name: (seen, unseen) for name, (seen, unseen) in table["clues"].items()}
        )
        for slug, table in tables.items()
    }


def write_starting(tables: Mapping[str, ClueTable], path: Path = STARTING_POINTS) -> None:
    """List the authors' points, a line a cause."""
    lines = [
        f'  {json.dumps(slug)}: {{"prior": {table.prior}, "clues": {json.dumps(dict(table.clues))}}}'
        for slug, table in sorted(tables.items())
    ]
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def write_causes(tables: Mapping[str, ClueTable], package: Path = PACKAGE) -> None:
    """Rewrite the points in the files of the causes."""
    paths = []
    for slug, table in tables.items():
        path = package / "causes" / f"{slug.replace('-', '_')}.py"
        module = cst.parse_module(path.read_text(encoding="utf-8"))
        path.write_text(module.visit(_Rewrite(table)).code, encoding="utf-8")
        paths.append(path)
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", *map(str, paths)], check=True)


class _Rewrite(cst.CSTTransformer):
    """Puts the points of one cause in place of those that stand in its file."""

    def __init__(self, table: ClueTable) -> None:
        super().__init__()
        self._table = table

    def leave_Call(  # noqa: N802  # the name that libcst calls
        self, original_node: cst.Call, updated_node: cst.Call
    ) -> cst.Call:
        match original_node.func:
            case cst.Name("Cause"):
                return _with_numbers(updated_node, {"prior": self._table.prior})
            case cst.Name("Clue"):
                name = cst.ensure_type(original_node.args[0].value, cst.Name).value
                seen, unseen = self._table.clues[name]
                return _with_numbers(updated_node, {"seen": seen, "unseen": unseen})
        return updated_node


def _with_numbers(call: cst.Call, values: Mapping[str, float]) -> cst.Call:
    """A call with other numbers for the keywords that it has."""
    args = [
        arg.with_changes(value=cst.parse_expression(f"{values[arg.keyword.value]:+.2f}"))
        if arg.keyword and arg.keyword.value in values
        else arg
        for arg in call.args
    ]
    return call.with_changes(args=args)
