"""Rehearses labeled scripts with traindx preflight, and tells which faults it points to before training.

    python bench/preflight.py tests/scripts               rehearse what is not rehearsed yet, check, and score
    python bench/preflight.py tests/scripts --only NAME   rehearse one script again
    python bench/preflight.py tests/scripts --totals      only check and score what was rehearsed

Which causes are visible so early is written down in `before_training.py`, before anything was measured.
What was rehearsed is kept in .traindx/rehearsals, so that it can be stopped, and checked again with other
checks. Scripts run one after the other, since each of them runs two programs at once.
"""

import argparse
import csv
import os
import pickle
import tempfile
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from zlib import crc32

from before_training import is_visible
from scripts import HEALTHY, Label, labels
from traindx.errors import TraindxError
from traindx.exams.preflight.run import all_checked
from traindx.exams.preflight.short_run import STEPS, Rehearsing
from traindx.exams.preflight.types import Rehearsal
from traindx.exams.questions import Checked
from traindx.finding import Mark
from traindx.recorder.launch.command import command_from
from traindx.trials.runner import LocalRunner, ShortRuns
from traindx.trials.workspace import workspace_of

_TABLE = Path(__file__).with_name("preflight.csv")
_KEPT = Path(".traindx/rehearsals").resolve()


@dataclass(frozen=True)
class Row:
    """What came of one script."""

    script: str
    cause: str
    accept: str
    visible: bool
    verdict: str
    points: bool
    """Whether a fail or a warning points to the cause or an accepted one."""
    first: bool
    """Whether the worst check points to it first."""
    fails: str
    warns: str
    unseen: str
    causes: str
    seconds: float


@dataclass(frozen=True)
class Kept:
    """A rehearsal, and how long it took."""

    rehearsal: Rehearsal | None
    """None where the program could not be rehearsed."""
    problem: str
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--totals", action="store_true")
    parser.add_argument("--part", default="0/1", help="every so manieth script only, as 0/2 and 1/2")
    arguments = parser.parse_args()
    _KEPT.mkdir(parents=True, exist_ok=True)
    # Shuffled, always alike: whenever it is stopped, healthy and failing ones were rehearsed.
    known = sorted(labels(arguments.folder.resolve()), key=lambda label: crc32(label.script.name.encode()))
    if not arguments.totals:
        index, of = map(int, arguments.part.split("/"))
        for number, label in enumerate(known):
            kept = _KEPT / f"{label.script.stem}.pickle"
            wanted = label.script.stem == arguments.only if arguments.only else not kept.exists()
            if number % of == index and wanted:
                kept.write_bytes(pickle.dumps(_rehearsed(label)))
                print(label.script.stem, label.cause, flush=True)
    rows = [_row(label, cached) for label in known if (cached := _read(label)) is not None]
    _write(rows)
    _report(rows)


def _rehearsed(label: Label) -> Kept:
    """What `traindx preflight` runs, with the time it took."""
    began = time.monotonic()
    os.chdir(label.script.parent)
    with tempfile.TemporaryDirectory() as out:
        command = command_from([label.script.name], os.environ)
        workspace = workspace_of(Path.cwd(), command.words)
        try:
            runs = ShortRuns(command, LocalRunner(workspace), Path(out))
            rehearsal = Rehearsing(runs, 20.0, lambda _: None).rehearsed(STEPS, ranges=True)
        except TraindxError as error:
            return Kept(None, str(error), time.monotonic() - began)
    return Kept(rehearsal, "", time.monotonic() - began)


def _read(label: Label) -> Kept | None:
    path = _KEPT / f"{label.script.stem}.pickle"
    if not path.exists():
        return None
    kept = pickle.loads(path.read_bytes())
    assert isinstance(kept, Kept)
    return kept


def _row(label: Label, kept: Kept) -> Row:
    checks = all_checked(kept.rehearsal) if kept.rehearsal else ()
    bad = sorted(
        (checked for checked in checks if checked.mark.rank >= Mark.WARN.rank),
        key=lambda checked: -checked.mark.rank,
    )
    causes = list(dict.fromkeys(slug for checked in bad for slug in checked.causes))
    right = {label.cause, *label.accept}
    worst = max((checked.mark for checked in checks), key=lambda mark: mark.rank, default=None)
    return Row(
        script=label.script.stem,
        cause=label.cause,
        accept=" ".join(label.accept),
        visible=is_visible(label.cause),
        verdict=worst.value if worst else kept.problem,
        points=bool(right & set(causes)),
        first=bool(causes) and causes[0] in right,
        fails=_named(checks, Mark.FAIL),
        warns=_named(checks, Mark.WARN),
        unseen=_named(checks, Mark.UNSEEN),
        causes=" ".join(causes),
        seconds=round(kept.seconds, 1),
    )


def _named(checks: Iterable[Checked], mark: Mark) -> str:
    return " ".join(checked.check.slug for checked in checks if checked.mark is mark)


def _write(rows: list[Row]) -> None:
    with _TABLE.open("w", newline="") as file:
        writer = csv.DictWriter(file, [field.name for field in fields(Row)], lineterminator="\n")
        writer.writeheader()
        writer.writerows(asdict(row) for row in sorted(rows, key=lambda row: row.script))


def _report(rows: list[Row]) -> None:
    sick = [row for row in rows if row.cause != HEALTHY]
    well = [row for row in rows if row.cause == HEALTHY]
    visible = [row for row in sick if row.visible]
    for row in sorted(visible, key=lambda entry: (entry.points, entry.cause)):
        sentence = f"{row.cause:<24} {row.verdict:<6} {row.causes}"
        print(f"{'ok  ' if row.points else 'MISS'} {row.script:<24} {sentence}")
    later = [row for row in sick if not row.visible]
    print(f"visible before training: {sum(row.points for row in visible)} of {len(visible)} pointed to,")
    print(f"  {sum(row.first for row in visible)} as the first cause of the worst check,")
    print(f"  {sum(row.verdict == 'fail' for row in visible)} with a fail")
    print(f"visible only later: {sum(row.points for row in later)} of {len(later)} pointed to all the same")
    fails, warns = ([row for row in well if row.verdict == mark] for mark in ("fail", "warn"))
    print(f"healthy: {len(fails)} of {len(well)} with a fail, {len(warns)} with a warning at most")
    for row in [*fails, *warns]:
        print(f"     {row.script:<24} {row.verdict:<6} fails: {row.fails}  warns: {row.warns}  {row.causes}")
    times = sorted(row.seconds for row in rows)
    if times:
        print(f"seconds: median {times[len(times) // 2]:.0f}, largest {times[-1]:.0f}")


if __name__ == "__main__":
    main()
