"""Trains the networks whose logs lie in tests/data/curves.

PYTHONPATH=bench python -m curves.train                all cases
PYTHONPATH=bench python -m curves.train ID...          some of them; a part of an id is enough
"""

import sys
import time
from pathlib import Path

import torch

from curves.bandit import train_by_reward
from curves.cases import cases
from curves.forms import write
from curves.loop import train

TARGET = Path(__file__).parents[2] / "tests" / "data" / "curves"


def main(wanted: list[str]) -> None:
    """Train the wanted cases and write their logs."""
    torch.set_num_threads(1)
    for recipe in cases():
        if wanted and not any(part in recipe.id for part in wanted):
            continue
        begun = time.perf_counter()
        rows = train_by_reward(recipe) if recipe.kind == "bandit" else train(recipe)
        write(TARGET / recipe.id, rows, recipe)
        print(f"{recipe.id:32} {len(rows):5} rows {time.perf_counter() - begun:6.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
