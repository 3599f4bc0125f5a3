"""Trains one recipe of the corpus as a program of its own: what traindx treat is let loose on.

python bench/train_recipe.py RECIPE.json

It writes its log into the working directory, and prints at last the skill of the model on the test rows.
"""

import json
import math
import sys
from pathlib import Path

import torch

from corpus.plan import Plan
from corpus.program import Log, train
from corpus.recipe import from_row, planned

SKILL = "test skill"
"""What the last line begins with."""
WORST = -1.0
"""The skill of a model that gives no numbers."""


def skill(plan: Plan) -> float:
    """The skill of the model as the program has it now, with whatever was changed in it."""
    model = plan.model.float().eval()
    with torch.no_grad():
        predictions = plan.answer(plan.forward(model, plan.test.inputs).float())
    score = plan.task.skill(predictions, plan.test.targets)
    return max(score, WORST) if math.isfinite(score) else WORST


def main(path: str) -> None:
    recipe = from_row(json.loads(Path(path).read_text(encoding="utf-8")))
    plan = planned(recipe)
    torch.manual_seed(recipe.seed + recipe.luck)
    try:
        with Log(Path(f"{recipe.id}.{recipe.log.rpartition('.')[2]}")) as log:
            train(plan, log, recipe.log.startswith("steps"), [])
    finally:
        # Also where a trial ends it early.
        print(f"{SKILL} {skill(plan):.4f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
