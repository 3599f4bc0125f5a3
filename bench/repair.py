"""How often a failing program is repaired: by what the diagnosis asks for, and by changes at random.

python bench/repair.py script                 all that bench/repair.csv has no line of yet; Ctrl-C and go on
python bench/repair.py script --sample 40     as many failing ones, drawn at random, and all healthy ones
python bench/repair.py corpus --only NAME     some programs, again
python bench/repair.py corpus --part 1        faults of another part of the families
python bench/repair.py script --scripts F --twins G --results H.csv    labeled programs of another hand
python bench/repair.py summary                the shares, from the lines that are there

Scripts of tests/scripts, and faults of the corpus in families that the diagnosis has not been fitted on.
Both searches have the same shelf of changes, as many arms and the same rule of proof; only the order differs.
A program is repaired where a change is proven to help and closes at least half of its deficit against its
healthy twin. Healthy programs are treated as well: what is then called a help is false.
"""

import argparse
import csv
import os
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import chdir
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import msgspec

from repairs import scripts, unseen
from repairs.case import HEALTHY, Case
from traindx.changes.source.patch import patch_of
from traindx.changes.types import known_changes, parse_change
from traindx.diagnosis import knowledge
from traindx.diagnosis.types import Diagnosis
from traindx.recorder.launch.command import command_from
from traindx.run import Run
from traindx.trials.engine import Budget, Engine
from traindx.trials.measurement import arm_length, steps_of
from traindx.trials.plan import candidates, is_worth_trying, measured_by, resolved
from traindx.trials.program import ArmSpec
from traindx.trials.proof import verify_patch
from traindx.trials.runner import ArmResult, LocalRunner, carry_out
from traindx.trials.search import searched
from traindx.trials.types import Candidate, Treatment, Trial
from traindx.trials.workspace import Workspace

RESULTS = Path(__file__).parent / "repair.csv"
_ARMS, _MINUTES = 12, 12.0
"""Of each search: the arms are what ends it, and minutes only where a program is slow."""
_FAULTY, _HEALTHY = 32, 14
"""Of the corpus."""
_PART = 3
"""Of the families: parts 0 to 2 were looked at while the search was written."""
_HALF = 0.5
_NOT_RUN = "not run"


@dataclass(frozen=True)
class Row:
    """What became of one program."""

    name: str
    kind: str
    cause: str
    diagnosed: str
    """The first suspect, or health."""
    can: str
    """Whether the cause has a fix that a machine can apply."""
    tried: int
    change: str = ""
    """What was proven to help."""
    gain: str = ""
    closed: str = ""
    """What that closed of the deficit against the healthy twin; empty where there is no twin."""
    arms: int = 0
    patched: str = ""
    random_change: str = ""
    """The same of the search at random; _NOT_RUN where there was none."""
    random_gain: str = ""
    random_closed: str = ""
    seconds: int = 0
    """That both searches took."""

    @property
    def is_repaired(self) -> bool:
        return _is_repaired(self.change, self.closed)

    @property
    def is_repaired_at_random(self) -> bool:
        return _is_repaired(self.random_change, self.random_closed)


def _is_repaired(change: str, closed: str) -> bool:
    return bool(change) and (not closed or float(closed) >= _HALF)


def engine_for(first: ArmResult, folder: Path) -> Engine:
    """What runs the arms of one search, with a budget of its own."""
    run = first.run
    assert run is not None
    steps = arm_length(run, first.seconds, ()).steps
    workspace = Workspace(first.order.place, copies=True)
    made = Engine(
        command=first.order.command,
        workspace=workspace,
        runner=LocalRunner(workspace),
        folder=folder,
        steps=steps,
        is_cut=steps < steps_of(run),
        seconds=first.seconds,
        budget=Budget(_ARMS, _MINUTES),
        say=lambda _: None,
    )
    made.known(replace(first, problem=first.problem if first.crashed else ""))
    return made


def at_random(diagnosis: Diagnosis, run: Run, dice: random.Random) -> list[Candidate]:
    """All changes on the shelf in random order, measured as the diagnosis would."""
    symptoms = diagnosis.suspects[0].cause.symptoms if diagnosis.suspects else ()
    drawn: list[Candidate] = []
    for change in (known_change for known_change in known_changes().values() if known_change.is_fix):
        spec = resolved(parse_change(dice.choice(change.forms)), run)
        if spec is not None:
            measure = measured_by(symptoms, (spec,), run)
            drawn.append(Candidate((spec,), "", str(spec), measure, 1.0))
    dice.shuffle(drawn)
    return drawn


def treated(case: Case, with_random: bool) -> Row | None:
    """What both searches do for one program; None where it cannot be recorded."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        work = folder / "work"
        work.mkdir()
        if case.script is not None:
            shutil.copy(case.script, work)
        first = _once(case.words, folder / "control", work)
        if first.run is None:
            return None
        diagnosis = case.diagnose(first.run)
        plan = candidates(diagnosis, first.run, {})
        engine = engine_for(first, folder / "ours")
        ours = searched(engine, plan) if is_worth_trying(diagnosis, plan) else Treatment((), None)
        dice = random.Random(case.name)
        drawn = at_random(diagnosis, first.run, dice) if with_random else []
        theirs = searched(engine_for(first, folder / "random"), drawn)
        has_won = ours.best is not None or theirs.best is not None
        twin = _once(case.twin, folder / "twin", work) if case.twin and has_won else None
        row = Row(
            name=case.name,
            kind=case.kind,
            cause=case.cause,
            diagnosed=diagnosis.suspects[0].cause.slug if diagnosis.suspects else diagnosis.verdict.value,
            can=_yes(_can_be_treated(case.cause)),
            tried=sum(not any(pair.treated.refused for pair in trial.pairs) for trial in ours.trials),
            arms=engine.budget.spent,
            random_change="" if with_random else _NOT_RUN,
        )
        if ours.best is not None:
            patch = _patched(engine, ours.best, first.run)
            change, gain, closed = _told(case, ours.best, twin)
            row = replace(row, change=change, gain=gain, closed=closed, patched=patch)
        if theirs.best is not None:
            change, gain, closed = _told(case, theirs.best, twin)
            row = replace(row, random_change=change, random_gain=gain, random_closed=closed)
        return row


def _once(words: Sequence[str], folder: Path, work: Path) -> ArmResult:
    with chdir(work):
        command = command_from(list(words), os.environ)
    return carry_out(ArmSpec(command, folder, work, seconds=120))


def _patched(engine: Engine, best: Trial, run: Run) -> str:
    """Whether the change was written as source, and whether that did the same when it was run."""
    # As the program names its files.
    with chdir(engine.workspace.origin):
        patch = patch_of(best.changes, run)
        rerun = verify_patch(engine, best, patch) if patch is not None else None
        did = rerun.reproduces if rerun is not None else None
    if patch is None:
        return "no"
    return {True: "verified", False: "not verified", None: "not run"}[did]


def _told(case: Case, best: Trial, twin: ArmResult | None) -> tuple[str, str, str]:
    """The proven change, how much better it is, and what of the deficit it closed."""
    share = case.closed(best, twin) if twin is not None else None
    return best.name, f"{best.gain:.3f}", "" if share is None else f"{share:.3f}"


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


def summary(rows: Sequence[Row]) -> str:
    """The shares, in lines."""
    lines = []
    for kind in dict.fromkeys(row.kind for row in rows):
        of_kind = [row for row in rows if row.kind == kind]
        able = [row for row in of_kind if row.cause != HEALTHY and row.can == "yes"]
        well = [row for row in of_kind if row.cause == HEALTHY]
        drawn = [row for row in able if row.random_change != _NOT_RUN]
        lines += [
            f"{kind}: {len(able)} of {sum(row.cause != HEALTHY for row in of_kind)} failing programs "
            "have a cause with an applicable change",
            f"  repaired by the diagnosis: {sum(row.is_repaired for row in able)} of {len(able)}",
            f"  of the {len(drawn)} that both searches had: {sum(row.is_repaired for row in drawn)}, "
            f"at random {sum(row.is_repaired_at_random for row in drawn)}",
            f"  proven to help, whatever it closed: {sum(bool(row.change) for row in able)}",
            f"  patches: {_patches(able)}",
            f"  healthy programs with a false help: {sum(bool(row.change) for row in well)} of {len(well)}",
        ]
    return "\n".join(lines)


def _patches(rows: Sequence[Row]) -> str:
    """How many repairs were written as source, and what came of running them."""
    counter = Counter(row.patched for row in rows if row.change)
    return ", ".join(f"{number} {word or 'none'}" for word, number in counter.most_common())


def read(results: Path) -> list[Row]:
    """The lines that are there."""
    if not results.exists():
        return []
    with results.open(encoding="utf-8", newline="") as file:
        return [msgspec.convert(row, Row, strict=False) for row in csv.DictReader(file)]


def write(rows: Sequence[Row], results: Path) -> None:
    """All lines, in place of what was there."""
    with results.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(Row.__dataclass_fields__), lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in rows)


def _cases(arguments: argparse.Namespace, folder: Path) -> list[Case]:
    if arguments.what == "corpus":
        # Before anything asks for the causes: they are read with their points once.
        unseen.forget_families(arguments.part)
        return unseen.cases(folder, arguments.part, _FAULTY, _HEALTHY)
    if arguments.scripts is None:
        return scripts.cases(folder)
    return scripts.of_folder(arguments.scripts.resolve(), arguments.twins.resolve())


def sampled(every: Sequence[Case], wanted: int) -> list[Case]:
    """The healthy ones, and some that fail and whose cause a machine can treat: always the same."""
    well = [other for other in every if other.cause == HEALTHY]
    able = [other for other in every if other.cause != HEALTHY and _can_be_treated(other.cause)]
    random.Random(0).shuffle(able)
    return [*well, *able[:wanted]]


def _can_be_treated(cause: str) -> bool:
    return any(fix.change for known in knowledge.causes() if known.slug == cause for fix in known.fixes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("what", choices=("script", "corpus", "summary"))
    parser.add_argument("--only", nargs="*", default=[], help="programs by their name")
    parser.add_argument("--sample", type=int, help="how many failing programs, drawn at random")
    parser.add_argument("--random-every", type=int, default=2, help="search at random for each so many-th")
    parser.add_argument("--part", type=int, default=_PART, help="which part of the families, 0 to 3")
    parser.add_argument("--scripts", type=Path, help="a folder of programs with an INDEX.jsonl")
    parser.add_argument("--twins", type=Path, help="the repaired ones, by the same names")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the lines are kept")
    arguments = parser.parse_args()
    if (arguments.scripts is None) != (arguments.twins is None):
        parser.error("--scripts and --twins belong together")
    rows = {row.name: row for row in read(arguments.results)}
    if arguments.what != "summary":
        with tempfile.TemporaryDirectory() as name:
            every = _cases(arguments, Path(name))
            if arguments.sample is not None:
                every = sampled(every, arguments.sample)
            for number, case in enumerate(every):
                if case.name not in (arguments.only or {other.name for other in every} - rows.keys()):
                    continue
                began = time.monotonic()
                row = treated(case, with_random=number % arguments.random_every == 0)
                print(row or f"{case.name}: it could not be recorded", flush=True)
                if row is not None:
                    rows[case.name] = replace(row, seconds=round(time.monotonic() - began))
                    write(list(rows.values()), arguments.results)
    print(summary(list(rows.values())))


if __name__ == "__main__":
    main()
