"""Trains a few draws of one fault beside their twins, unrecorded, and tells what the fault costs.

PYTHONPATH=bench python -m corpus.tryout CAUSE [COUNT]
"""

import sys
import tempfile
import traceback
from dataclasses import replace
from functools import partial
from pathlib import Path

import torch

from corpus.harm import Outcome, is_harmed, outcome
from corpus.program import run
from corpus.recipe import HEALTHY, Recipe, draw, faults, planned, twin_of


def tried(recipe: Recipe, folder: Path) -> Outcome:
    """Train a recipe here and now, and score it."""
    try:
        run(recipe, folder)
    except Exception:
        print(traceback.format_exc(limit=-1).splitlines()[-1])
    return outcome(planned(recipe), folder, recipe.id)


def main(cause: str, count: str = "6") -> None:
    """Try a fault, or healthy trainings."""
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(int(count)):
            recipe = draw(9000 + number, cause)
            about = f"{recipe.task:9} {recipe.family:16} {recipe.optimizer:8} severity {recipe.severity:.2f}"
            faulty = tried(recipe, Path(folder))
            skills = " ".join(f"{skill:5.2f}" for skill in faulty.skills[-4:])
            print(f"{about} {recipe.oddity:18} {faulty.seconds:5.1f} s  {skills}", flush=True)
            if cause == HEALTHY:
                continue
            twin = tried(twin_of(recipe), Path(folder))
            again = replace(twin_of(recipe), id="again", luck=1)
            harmed = is_harmed(faulty, twin, partial(tried, again, Path(folder)), faults()[cause].harm)
            sentence = f"twin {twin.end:5.2f}, printed {twin.reported} / {faulty.reported}"
            notes = "; ".join(planned(recipe).notes)
            print(f"    {sentence}: {'harm' if harmed else 'harmless'}; {notes}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
