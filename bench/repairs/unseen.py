"""Harmful faults of the corpus in families that the diagnosis has not been fitted on."""

import json
import re
from collections import Counter
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

import msgspec

import train_recipe
from corpus.fault import Harm
from corpus.fit import as_json, fit, sample
from corpus.folds import dealt
from corpus.make import CORPUS
from corpus.programs import programs
from corpus.ranker import Ranker
from corpus.recipe import Recipe, faults, from_row, twin_of
from corpus.table import read
from repairs.case import HEALTHY, Case, closed
from traindx import catalogue, fitted
from traindx.diagnosing import diagnose
from traindx.trial import Trial
from traindx.trials.arm import OUTPUT, Done

_PART = 0
"""The part of the families that is left out of the fit."""
_OF_A_CAUSE = 2
"""Cases of one cause at most."""
_DEFICIT = 0.1
"""Of skill on the test rows, against the twin, at least."""
_MEASURED = (Harm.SKILL, Harm.GENERALISATION)
_PROGRAM = Path(train_recipe.__file__)


def forget_families() -> None:
    """Let the product diagnose with points that were fitted without the families of the cases."""
    signs, rows = read()
    parts = dealt([row.family for row in rows])
    ranker = Ranker(signs)
    points = fit(ranker, sample(ranker, [*(row for row in rows if parts[row.family] != _PART), *programs()]))
    factors = msgspec.structs.asdict(fitted._read())["sureness"]
    told = msgspec.json.decode(as_json(ranker, points, factors).encode(), type=type(fitted._read()))
    fitted._read = lambda: told  # type: ignore[assignment]


def cases(folder: Path, faulty: int, healthy: int) -> list[Case]:
    """Faulty trainings and healthy ones of these families, drawn at random but always the same."""
    _, rows = read()
    parts = dealt([row.family for row in rows])
    names = sorted(row.id for row in rows if parts[row.family] == _PART and not row.id.endswith("-twin"))
    Random(_PART).shuffle(names)
    found: list[Case] = []
    causes: Counter[str] = Counter()
    for name in names:
        row = json.loads((CORPUS / f"{name}.json").read_text(encoding="utf-8"))
        cause = str(row["fault"])
        most, wanted = (healthy, True) if cause == HEALTHY else (_OF_A_CAUSE, _counts(row))
        is_full = cause != HEALTHY and causes.total() - causes[HEALTHY] >= faulty
        if wanted and causes[cause] < most and not is_full:
            causes[cause] += 1
            found.append(_case(row, folder))
    return found


def _counts(row: dict[str, Any]) -> bool:
    """Whether a fault has a fix that a machine can apply, and did harm that the skill at the end shows."""
    if not any(fix.change for one in catalogue.causes() if one.slug == row["fault"] for fix in one.fixes):
        return False
    own, twin = row["outcome"]["skills"], row["twin"]["skills"]
    if not row["harmed"] or faults()[row["fault"]].harm not in _MEASURED or not own:
        return False
    return bool(twin[-1] - own[-1] >= _DEFICIT)


def _case(row: dict[str, Any], folder: Path) -> Case:
    recipe = from_row({field.name: row[field.name] for field in fields(Recipe)})
    paths = [folder / f"{one.id}.json" for one in (recipe, twin_of(recipe))]
    for path, one in zip(paths, (recipe, twin_of(recipe)), strict=True):
        path.write_text(json.dumps(one.row()), encoding="utf-8")
    own, twin = ((str(_PROGRAM), str(path)) for path in paths)
    return Case(recipe.id, "corpus", recipe.fault, own, twin, diagnose, _closed)


def _closed(trial: Trial, twin: Done) -> float | None:
    """The gap in skill on the test rows, which the program tells at its end; 0 where it did not get there."""
    aim = _skill(twin.order.folder)
    if aim is None:
        return None
    control = [_skill(Path(pair.control.folder)) for pair in trial.counted]
    treated = [_skill(Path(pair.treated.folder)) for pair in trial.counted]
    if None in treated:
        return 0.0
    broken = [train_recipe.WORST if one is None else one for one in control]
    return closed(broken, [one for one in treated if one is not None], aim)


def _skill(folder: Path) -> float | None:
    said = re.findall(rf"^{train_recipe.SKILL} (\S+)$", (folder / OUTPUT).read_text("utf-8", "replace"), re.M)
    return float(said[-1]) if said else None
