"""Where points stand: in the files of causes and signs; those of their authors in starting_points.json.

A clue that starting_points.json does not list yet is new: what its file says is what its author gave it, and
the next fit lists it.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import libcst as cst

from traindx.cause import Cause
from traindx.diagnosis.calibration import HEALTH_BY_SEVERITY
from traindx.finding import Severity, Sign

STARTING_POINTS = Path(__file__).with_name("starting_points.json")
PACKAGE = Path(__file__).parents[2] / "src" / "traindx"


@dataclass(frozen=True)
class Tables:
    """All points, by the names of what they belong to."""

    priors: Mapping[str, float]
    """By cause."""
    clues: Mapping[str, Mapping[str, tuple[float, float]]]
    """By cause and by sign: points for yes and for no."""
    severities: Mapping[Severity, float]
    """What a sign of a severity adds to health."""
    health: Mapping[str, float | None]
    """By sign: what a yes adds to health; None where its severity says it."""
    unhealthy: Mapping[str, float]
    """By sign: what a no adds to health, where it adds anything."""


def declared(causes: Iterable[Cause], signs: Iterable[Sign]) -> Tables:
    """The points as they stand in the package."""
    known, asked = tuple(causes), tuple(signs)
    return Tables(
        {cause.slug: cause.prior for cause in known},
        {cause.slug: {clue.sign.slug: (clue.seen, clue.unseen) for clue in cause.clues} for cause in known},
        HEALTH_BY_SEVERITY,
        {sign.slug: sign.healthy for sign in asked},
        {sign.slug: sign.unhealthy for sign in asked if sign.unhealthy},
    )


def starting(now: Tables, path: Path = STARTING_POINTS) -> Tables:
    """The points that authors gave what is declared now."""
    listed = json.loads(path.read_text(encoding="utf-8"))
    health, causes = listed["health"], listed["causes"]

    def pairs(slug: str) -> dict[str, tuple[float, float]]:
        before = causes.get(slug, {"clues": {}})["clues"]
        return {name: tuple(before.get(name, pair)) for name, pair in now.clues[slug].items()}

    return Tables(
        {slug: causes.get(slug, {"prior": prior})["prior"] for slug, prior in now.priors.items()},
        {slug: pairs(slug) for slug in now.clues},
        {severity: health["by_severity"][severity.value] for severity in Severity},
        {slug: health["signs"].get(slug, points) for slug, points in now.health.items()},
        {slug: health["unhealthy"].get(slug, points) for slug, points in now.unhealthy.items()},
    )


def write_starting(tables: Tables, path: Path = STARTING_POINTS) -> None:
    """List the authors' points, a line a cause."""
    severities = {severity.value: points for severity, points in tables.severities.items()}
    causes = ",\n".join(
        f'    {json.dumps(slug)}: {{"prior": {prior}, "clues": {json.dumps(dict(tables.clues[slug]))}}}'
        for slug, prior in sorted(tables.priors.items())
    )
    lines = [
        '{\n  "health": {',
        f'    "by_severity": {json.dumps(severities)},',
        f'    "signs": {json.dumps(dict(tables.health))},',
        f'    "unhealthy": {json.dumps(dict(tables.unhealthy))}',
        f'  }},\n  "causes": {{\n{causes}\n  }}\n}}\n',
    ]
    path.write_text("\n".join(lines), encoding="utf-8")


def write_package(tables: Tables, package: Path = PACKAGE) -> None:
    """Rewrite the points in the files of causes and signs, and what a severity counts in calibration.py."""
    paths = [path for folder in ("causes", "signs") for path in (package / folder).glob("*.py")]
    for path in paths:
        module = cst.parse_module(path.read_text(encoding="utf-8"))
        path.write_text(module.visit(_Rewrite(path.stem.replace("_", "-"), tables)).code, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", *map(str, paths)], check=True)
    names = {f"Severity.{severity.name}": points for severity, points in tables.severities.items()}
    write_numbers(names, package / "diagnosis" / "calibration.py")


def write_numbers(values: Mapping[str, float], path: Path) -> None:
    """Put numbers in place of those that follow the same names and "=" or ":" in a file."""
    text = path.read_text(encoding="utf-8")
    for name, value in values.items():
        text, count = re.subn(rf"(?m)^( *{re.escape(name)}(?: =|:)) [-+.\d]+", rf"\1 {value + 0.0:.2f}", text)
        if count != 1:
            raise ValueError(f"{path}: {name} stands there {count} times")
    path.write_text(text, encoding="utf-8")


class _Rewrite(cst.CSTTransformer):
    """Puts points in place of those that stand in a file of signs or of a cause."""

    def __init__(self, slug: str, tables: Tables) -> None:
        super().__init__()
        self._slug = slug
        self._tables = tables

    def leave_Call(  # noqa: N802  # the name that libcst calls
        self, original_node: cst.Call, updated_node: cst.Call
    ) -> cst.Call:
        match original_node.func:
            case cst.Name("Cause"):
                return _with_numbers(updated_node, {"prior": self._tables.priors[self._slug]})
            case cst.Name("Clue"):
                name = cst.ensure_type(original_node.args[0].value, cst.Name).value
                present, unseen = self._tables.clues[self._slug][name]
                return _with_numbers(updated_node, {"seen": present, "unseen": unseen})
        return updated_node

    def leave_FunctionDef(  # noqa: N802  # the name that libcst calls
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        name = original_node.name.value
        own = {"healthy": self._tables.health.get(name), "unhealthy": self._tables.unhealthy.get(name)}
        decorators = [
            decorator.with_changes(decorator=_with_health(decorator.decorator, own))
            if isinstance(decorator.decorator, cst.Call)
            and cst.Name("sign").deep_equals(decorator.decorator.func)
            else decorator
            for decorator in updated_node.decorators
        ]
        return updated_node.with_changes(decorators=decorators)


def _with_health(call: cst.Call, points: Mapping[str, float | None]) -> cst.Call:
    """The declaration of a sign with its own points for health, or with none."""
    args = [arg for arg in call.args if not (arg.keyword and arg.keyword.value in points)]
    own = ", ".join(f"{name}={value:+.2f}" for name, value in points.items() if value is not None)
    if not own and len(args) == len(call.args):
        return call
    args[-1] = args[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return call.with_changes(args=[*args, *cst.ensure_type(cst.parse_expression(f"f({own})"), cst.Call).args])


def _with_numbers(call: cst.Call, values: Mapping[str, float]) -> cst.Call:
    """A call with other numbers for the keywords that it has."""
    args = [
        arg.with_changes(value=cst.parse_expression(f"{values[arg.keyword.value]:+.2f}"))
        if arg.keyword and arg.keyword.value in values
        else arg
        for arg in call.args
    ]
    return call.with_changes(args=args)
