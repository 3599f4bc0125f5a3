"""Scores the trainings of a batch, outside of the recorded program: skill, and harm against the twin.

PYTHONPATH=bench python -m corpus.outcomes BATCH.jsonl FOLDER
"""

import json
import os
import sys
from dataclasses import asdict, replace
from pathlib import Path

from corpus.fault import Unfit
from corpus.harm import Outcome, is_harmed, outcome
from corpus.program import prepare, run
from corpus.recipe import HEALTHY, Recipe, faults, from_row, planned, twin_of


def _again(twin: Recipe, folder: Path) -> Outcome:
    """The twin once more, from another seed: how much luck there is in its outcome."""
    recipe = replace(twin, id=f"{twin.id}-again", luck=1)
    child = os.fork()
    if not child:
        run(recipe, folder)
        os._exit(0)
    os.waitpid(child, 0)
    return outcome(planned(recipe), folder, recipe.id)


def score(recipe: Recipe, folder: Path) -> dict[str, object]:
    """What became of a faulty training and of its twin; of a healthy one, alone."""
    row: dict[str, object] = recipe.row()
    own = outcome(planned(recipe), folder, recipe.id)
    row |= {"outcome": asdict(own), "notes": planned(recipe).notes}
    if recipe.fault == HEALTHY:
        return row
    twin = twin_of(recipe)
    beside = outcome(planned(twin), folder, twin.id)
    harmed = is_harmed(own, beside, lambda: _again(twin, folder), faults()[recipe.fault].harm)
    return row | {"twin": asdict(beside), "harmed": harmed}


def main(batch: str, place: str) -> None:
    """Score the recipes of a file; each leaves a file of its own, and no weights."""
    folder = Path(place)
    recipes = [from_row(json.loads(line)) for line in Path(batch).read_text(encoding="utf-8").splitlines()]
    prepare(recipes)
    for recipe in recipes:
        if recipe.is_twin:
            continue
        try:
            row = score(recipe, folder)
        except Unfit:
            # The fault was rewritten while this ran.
            continue
        (folder / f"{recipe.id}.json").write_text(f"{json.dumps(row)}\n")
        for weights in folder.glob(f"{recipe.id}*.pt"):
            weights.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:])
