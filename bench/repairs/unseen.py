"""Harmful faults of the corpus in families that the diagnosis has not been fitted on.

A recipe is drawn anew from its name, and what its fault cost stands in corpus/answers.csv, so that the corpus
itself need not be there.
"""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random

import train_recipe
from corpus.fault import Harm
from corpus.fit import fit, sample
from corpus.folds import dealt
from corpus.programs import programs
from corpus.ranker import Ranker
from corpus.recipe import Recipe, draw, faults, twin_of
from corpus.table import Row, read
from repairs.case import HEALTHY, Case, closed
from traindx.diagnosis import knowledge
from traindx.diagnosis.engine import diagnose
from traindx.trials.program import OUTPUT
from traindx.trials.runner import ArmResult
from traindx.trials.types import Trial

_OF_A_CAUSE = 2
"""Cases of one cause at most."""
_BAR = 1.0
"""What a fault cost at least, in units of the least that counts: a tenth of the skill."""
_MEASURED = (Harm.SKILL, Harm.GENERALIZATION)
_PROGRAM = Path(train_recipe.__file__)


def forget_families(part: int) -> None:
    """Let the product diagnose with points that were fitted without the families of a part."""
    signs, rows = read()
    parts = dealt([row.family for row in rows])
    ranker = Ranker(signs)
    points = fit(ranker, sample(ranker, [*(row for row in rows if parts[row.family] != part), *programs()]))
    causes = ranker.as_causes(points)
    pairs = zip(points.health.tolist(), points.unhealthy.tolist(), strict=True)
    health = dict(zip(ranker.signs, pairs, strict=True))
    known = tuple(
        replace(sign, healthy=health[sign.slug][0], unhealthy=health[sign.slug][1])
        for sign in knowledge.signs()
    )
    knowledge.causes = lambda: causes  # type: ignore[assignment]
    knowledge.signs = lambda: known  # type: ignore[assignment]


def cases(folder: Path, part: int, faulty: int, healthy: int) -> list[Case]:
    """Faulty trainings and healthy ones of a part of the families, drawn at random but always the same."""
    _, rows = read()
    parts = dealt([row.family for row in rows])
    twins = {row.id: row for row in rows if parts[row.family] == part and not row.id.endswith("-twin")}
    names = sorted(twins)
    Random(part).shuffle(names)
    chosen: list[Case] = []
    causes: Counter[str] = Counter()
    for name in names:
        cause = twins[name].cause or HEALTHY
        most, wanted = (healthy, True) if cause == HEALTHY else (_OF_A_CAUSE, _counts(twins[name]))
        is_full = cause != HEALTHY and causes.total() - causes[HEALTHY] >= faulty
        if wanted and causes[cause] < most and not is_full:
            causes[cause] += 1
            chosen.append(_case(draw(int(name.rpartition("-")[2]), cause), folder))
    return chosen


def _counts(row: Row) -> bool:
    """Whether a fault has a fix that a machine can apply, and did harm that skill shows."""
    can = any(fix.change for cause in knowledge.causes() if cause.slug == row.cause for fix in cause.fixes)
    return can and row.label == row.cause and row.harm >= _BAR and faults()[row.cause].harm in _MEASURED


def _case(recipe: Recipe, folder: Path) -> Case:
    paths = [folder / f"{each.id}.json" for each in (recipe, twin_of(recipe))]
    for path, each in zip(paths, (recipe, twin_of(recipe)), strict=True):
        path.write_text(json.dumps(each.row()), encoding="utf-8")
    own, twin = ((str(_PROGRAM), str(path)) for path in paths)
    return Case(recipe.id, "corpus", recipe.fault, own, twin, diagnose, _closed)


def _closed(trial: Trial, twin: ArmResult) -> float | None:
    """The gap in skill on the test rows, which the program tells at its end; 0 where it did not get there."""
    aim = _skill(twin.order.folder)
    if aim is None:
        return None
    control = [_skill(Path(pair.control.folder)) for pair in trial.counted]
    treated = [_skill(Path(pair.treated.folder)) for pair in trial.counted]
    if None in treated:
        return 0.0
    broken = [train_recipe.WORST if value is None else value for value in control]
    return closed(broken, [value for value in treated if value is not None], aim)


def _skill(folder: Path) -> float | None:
    said = re.findall(rf"^{train_recipe.SKILL} (\S+)$", (folder / OUTPUT).read_text("utf-8", "replace"), re.M)
    return float(said[-1]) if said else None
