"""How good suggested learning rates are: ours and those of others, against a grid of whole trainings.

A suggestion counts where a whole training at it reaches 90% of the skill of the best of 13 rates, on data
that was not learned from. Tasks that the search was developed on (`rates/development.py`) are not those
that count (`rates/score.py`). One line for each task, seed and finder goes to `lr_find.csv`; what is there
already is not run again.
"""

import argparse
import csv
import os
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import torch

from rates import development, score
from rates.finders import Suggestion, lightning, ours, own_rate, range_tests
from rates.hopeless import KINDS
from rates.task import Setting, Task, trained

GRID = np.logspace(-5, 1, 13)
REACHED = 0.9
SEEDS = range(5)
TASKS: dict[str, Task] = {task.name: task for task in (*development.TASKS, *score.TASKS)}
HOPELESS = ("wine-adam", "clusters-residual-adamw", "friedman-deep-sgd")
"""Tasks that are spoilt, with three seeds each."""
FIELDS = ("task", "seed", "finder", "own", "rate", "skill", "best", "best_rate", "reached", "steps")
_HERE = Path(__file__).parent
_FAILED = "error"
Line = dict[str, object]


def judged(name: str, seed: int) -> list[Line]:
    """All finders on one training, and the grid they are held against."""
    torch.set_num_threads(1)
    task = TASKS[name]
    skills = [trained(task, seed, float(rate)) for rate in GRID]
    best = int(np.argmax(skills))
    suggestions = [*ours(task, seed, task.make(seed)), *range_tests(task, task.make(seed))]
    suggestions += lightning(task, task.make(seed))
    rows = []
    for suggestion in suggestions:
        skill = trained(task, seed, suggestion.rate) if suggestion.rate else -1.0
        rows.append(
            {
                "task": task.name,
                "seed": seed,
                "finder": suggestion.finder,
                "own": f"{own_rate(task, seed):g}",
                "rate": f"{suggestion.rate:.3g}" if suggestion.rate else "",
                "skill": f"{skill:.4f}",
                "best": f"{skills[best]:.4f}",
                "best_rate": f"{GRID[best]:.3g}",
                "reached": int(skill >= REACHED * skills[best]),
                "steps": suggestion.steps,
            }
        )
    return rows


def refused(name: str, seed: int, kind: str) -> list[Line]:
    """Whether finders say that a training is hopeless, by giving no rate."""
    torch.set_num_threads(1)
    task = TASKS[name]

    def spoilt() -> Setting:
        return KINDS[kind](task.make(seed))

    finders: tuple[Callable[[Setting], list[Suggestion]], ...] = (
        lambda setting: ours(task, seed, setting),
        lambda setting: range_tests(task, setting),
        lambda setting: lightning(task, setting),
    )
    lines: list[Line] = []
    for finder in finders:
        try:
            suggestions = finder(spoilt())
        except (RuntimeError, ValueError, IndexError, ZeroDivisionError) as error:
            # It stops with an error of its own, which is an answer of a kind.
            suggestions = [Suggestion(f"{_FAILED}: {type(error).__name__}", None, 0)]
        lines += [
            {
                "task": f"{task.name}, {kind}",
                "seed": seed,
                "finder": suggestion.finder,
                "rate": f"{suggestion.rate:.3g}" if suggestion.rate else "",
                "reached": int(suggestion.rate is None),
                "steps": suggestion.steps,
            }
            for suggestion in suggestions
        ]
    return lines


def _lines(path: Path) -> list[Line]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _write(path: Path, lines: Iterable[Line]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, restval="")
        writer.writeheader()
        writer.writerows(lines)


def again(path: Path) -> None:
    """Run our own search once more wherever there is a line of it; all else stays as it was measured."""
    torch.set_num_threads(1)
    lines = _lines(path)
    for number, line in enumerate(lines):
        if line["finder"] != "traindx":
            continue
        name, _, kind = str(line["task"]).partition(", ")
        task, seed = TASKS[name], int(str(line["seed"]))
        setting = KINDS[kind](task.make(seed)) if kind else task.make(seed)
        (suggestion,) = ours(task, seed, setting)
        line["rate"], line["steps"] = f"{suggestion.rate:.3g}" if suggestion.rate else "", suggestion.steps
        line["reached"] = int(suggestion.rate is None)
        if not kind:
            skill = trained(task, seed, suggestion.rate) if suggestion.rate else -1.0
            line["skill"] = f"{skill:.4f}"
            line["reached"] = int(skill >= REACHED * float(str(line["best"])))
        _write(path, lines)
        print(f"{number + 1} of {len(lines)}", file=sys.stderr, flush=True)


def measure(path: Path, names: Iterable[str], *, hopeless: bool) -> None:
    """Run what has no line yet, two trainings at a time."""
    known = _lines(path)
    done = {(str(line["task"]), int(str(line["seed"]))) for line in known}
    plain = [(name, seed) for name in names for seed in SEEDS if (name, seed) not in done]
    spoilt = [
        (name, seed, kind)
        for name in HOPELESS
        for kind in KINDS
        for seed in range(3)
        if hopeless and (f"{name}, {kind}", seed) not in done
    ]
    with ProcessPoolExecutor(min(2, os.cpu_count() or 1), get_context("spawn")) as pool:
        jobs = [pool.submit(judged, *job) for job in plain] + [pool.submit(refused, *job) for job in spoilt]
        for number, job in enumerate(jobs):
            known += job.result()
            _write(path, known)
            print(f"{number + 1} of {len(jobs)}", file=sys.stderr, flush=True)


def table(path: Path) -> str:
    """The score of every finder, in all and by task, as Markdown."""
    lines = _lines(path)
    plain = [line for line in lines if line["best"]]
    finders = list(dict.fromkeys(str(line["finder"]) for line in plain))
    tasks = list(dict.fromkeys(str(line["task"]) for line in plain))
    rows = [["task", *finders], ["---", *["--:" for _ in finders]]]
    for task in tasks:
        some = [row for row in plain if row["task"] == task]
        rows += [[task, *(_share(some, name) for name in finders)]]
    rows.append(["**all**", *(f"**{_share(plain, name)}**" for name in finders)])
    rows.append(["steps, mean", *(_steps(plain, name) for name in finders)])
    spoilt = [line for line in lines if not line["best"]]
    for kind in KINDS:
        some = [line for line in spoilt if str(line["task"]).endswith(kind)]
        if some:
            rows.append([f"no rate given: {kind}", *(_share(some, name) for name in finders)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _share(lines: list[Line], finder: str) -> str:
    some = [line for line in lines if line["finder"] == finder]
    return (
        f"{sum(int(str(line['reached'])) for line in some)} of {len(some)}" if some else "stops with an error"
    )


def _steps(lines: list[Line], finder: str) -> str:
    return f"{np.mean([int(str(line['steps'])) for line in lines if line['finder'] == finder]):.0f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--development", action="store_true", help="the tasks that do not count")
    parser.add_argument("--again", action="store_true", help="run our own search once more, and nothing else")
    parser.add_argument("--table", action="store_true", help="only print what was measured")
    arguments = parser.parse_args()
    path = _HERE / ("lr_find_development.csv" if arguments.development else "lr_find.csv")
    if arguments.again:
        again(path)
    elif not arguments.table:
        tasks = development.TASKS if arguments.development else score.TASKS
        measure(path, [task.name for task in tasks], hopeless=not arguments.development)
    print(table(path))
    return 0


if __name__ == "__main__":
    sys.exit(main())
