"""How often a failing program is repaired: by the changes the diagnosis asks for, and by changes at random.

python bench/repair.py [--only NAME ...] [--every N]     the scripts of tests/scripts; writes bench/repair.csv

Both searches have the same changes, the same arms and the same rule of proof; only the order differs. A
program counts as repaired where a change is proven to help. Healthy programs are treated too: what is then
called a help is false.
"""

import argparse
import csv
import json
import os
import random
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from traindx.change import Change, change_from
from traindx.diagnosing import diagnose
from traindx.diagnosis import Verdict
from traindx.launching.command import command_from
from traindx.operating import operation_of, operations
from traindx.patching import patch_of
from traindx.run import Run
from traindx.trial import Planned, Treatment
from traindx.trials.arm import Done, Order, carry_out
from traindx.trials.budget import Budget, arm_steps
from traindx.trials.effect import gain
from traindx.trials.engine import Engine
from traindx.trials.measuring import steps_of
from traindx.trials.place import Workplace
from traindx.trials.planning import measured_by, planned, resolved
from traindx.trials.search import searched

SCRIPTS = Path(__file__).parents[1] / "tests" / "scripts"
RESULTS = Path(__file__).parent / "repair.csv"
HEALTHY = "healthy"
_ARMS, _MINUTES = 14, 6.0
_FIELDS = "script cause diagnosed applicable treated change gain patched at_random random_gain".split()


@dataclass(frozen=True)
class Program:
    """A script and what is wrong with it."""

    script: Path
    cause: str


def programs() -> list[Program]:
    """Every labelled script."""
    lines = (SCRIPTS / "INDEX.jsonl").read_text(encoding="utf-8").splitlines()
    return [Program(SCRIPTS / row["script"], row["cause"]) for row in map(json.loads, lines)]


def engine_for(program: Program, first: Done, folder: Path) -> Engine:
    """What runs the arms of one search, with a budget of its own."""
    run = first.run
    assert run is not None
    steps = arm_steps(run, first.seconds, None, None)
    made = Engine(
        command=first.order.command,
        place=Workplace(first.order.place, copies=False),
        folder=folder,
        steps=steps,
        is_cut=steps < steps_of(run),
        seconds=first.seconds,
        budget=Budget(_ARMS, _MINUTES),
        say=lambda _: None,
    )
    made.known(replace(first, problem=first.problem if first.crashed else ""))
    return made


def at_random(run: Run, symptoms: Sequence[object], dice: random.Random) -> list[Planned]:
    """All changes on the shelf in random order, measured as the diagnosis would."""
    found: list[Planned] = []
    for operation in operations().values():
        change = resolved(change_from(dice.choice(operation.forms)), run)
        if change is not None:
            measure = measured_by(symptoms, change, run, operation.alters_loss)  # type: ignore[arg-type]
            found.append(Planned((change,), "", str(change), measure, 1.0))
    dice.shuffle(found)
    return found


def alters(change: Change) -> bool:
    """Whether arms of a change are compared by errors."""
    return operation_of(change).alters_loss


def told(treatment: Treatment) -> tuple[str, str, float]:
    """The proven change, if there is one, and how much better it is."""
    best = treatment.best
    return ("helped", best.name, round(gain(best.pairs, best.measure), 3)) if best else ("", "", 0.0)


def treated(program: Program) -> dict[str, object] | None:
    """What both searches do for one program."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        work = folder / "work"
        work.mkdir()
        command = command_from([str(program.script)], os.environ)
        first = carry_out(Order(command, folder / "control", work, seconds=120))
        if first.run is None:
            return None
        diagnosis = diagnose(first.run)
        plan = planned(diagnosis, first.run, alters, {})
        symptoms = diagnosis.suspects[0].cause.symptoms if diagnosis.suspects else ()
        ours = Treatment((), None)
        if plan and diagnosis.verdict is not Verdict.HEALTHY:
            ours = searched(engine_for(program, first, folder / "ours"), plan)
        dice = random.Random(program.script.stem)
        drawn = at_random(first.run, symptoms, dice)
        theirs = searched(engine_for(program, first, folder / "random"), drawn)
        outcome, change, better = told(ours)
        patch = patch_of(ours.best.changes, first.run) if ours.best else None
        return {
            "script": program.script.stem,
            "cause": program.cause,
            "diagnosed": diagnosis.suspects[0].cause.slug if diagnosis.suspects else diagnosis.verdict.value,
            "applicable": len(plan),
            "treated": outcome,
            "change": change,
            "gain": better,
            "patched": bool(patch),
            "at_random": told(theirs)[1],
            "random_gain": told(theirs)[2],
        }


def summary(rows: Sequence[dict[str, object]]) -> str:
    """The shares, in lines."""
    sick = [row for row in rows if row["cause"] != HEALTHY]
    well = [row for row in rows if row["cause"] == HEALTHY]
    able = [row for row in sick if row["applicable"]]
    lines = [
        f"failing programs with an applicable change: {len(able)} of {len(sick)}",
        f"repaired: {sum(bool(row['treated']) for row in able)} of {len(able)}"
        f"; by changes at random: {sum(bool(row['at_random']) for row in able)}",
        f"patched: {sum(bool(row['patched']) for row in able)} of those",
        f"healthy programs with a false help: {sum(bool(row['treated']) for row in well)} of {len(well)}",
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", nargs="*", default=[], help="scripts by their name")
    parser.add_argument("--every", type=int, default=1, help="each so many-th script")
    arguments = parser.parse_args()
    chosen = [one for one in programs() if not arguments.only or one.script.stem in arguments.only]
    rows = []
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, _FIELDS, lineterminator="\n")
        writer.writeheader()
        for one in chosen[:: arguments.every]:
            row = treated(one)
            print(one.script.stem, row, flush=True)
            if row is not None:
                rows.append(row)
                writer.writerow(row)
                file.flush()
    print(summary(rows))


if __name__ == "__main__":
    main()
