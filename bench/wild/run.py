"""What traindx says of training programs of public libraries, healthy and broken by one realistic mistake.

    python bench/wild/run.py open                      record every open case without a line in results.jsonl
    python bench/wild/run.py open --only lightning     some, by a part of their name
    python bench/wild/run.py open --treat              treat the broken ones as well
    python bench/wild/run.py open --figures            only the figures, from the lines that are there
    python bench/wild/run.py open --wrong              the figures, and the screen of every wrong verdict

Run it with the Python that `requirements.txt` was installed for, with traindx installed there. The cases
stand in `cases.jsonl`; a case that changes a line gets a copy of its program with that line replaced. Every
case is run twice, plainly and under `traindx run`, one process at a time. The closed half is for the end.
"""

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
TRAINDX = Path(sys.executable).with_name("traindx")
SECONDS = 1800
TOLD = 3
"""How many causes of a diagnosis are looked at."""
SURE = 0.8
LONG = 1000
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "HF_HUB_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "PYTHONWARNINGS": "ignore",
}
VARIES = re.compile(
    r"'\w*(runtime|per_second)': '?[\d.e+-]+'?|\d+m?s/(step|epoch)|'?step_time'?: '?[\d.e+-]+'?"
)
"""Times that libraries print: two plain runs differ in them as well."""
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Ended:
    """A process that ended, and the CPU seconds of it and its children."""

    code: int
    out: str
    screen: str
    seconds: float


def carry_out(command: Sequence[str], folder: Path) -> Ended:
    """Run a command in a folder, one thread, and wait for it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        ended = subprocess.run(
            command,
            cwd=folder,
            env=os.environ | ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        code, out, screen = ended.returncode, ended.stdout, ended.stderr
    except subprocess.TimeoutExpired:
        code, out, screen = -1, "", f"stopped after {SECONDS} s"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ended(code, out, screen, round(used, 2))


def write_program(case: Row, folder: Path) -> str:
    """Put the program of a case into a folder, with its line replaced (or removed), and name it."""
    text = (HERE / "programs" / case["program"]).read_text(encoding="utf-8")
    if case["edit"]:
        lines = text.split("\n")
        if lines.count(case["edit"]["old"]) != 1:
            raise SystemExit(f"{case['name']}: the old line is not once in {case['program']}")
        index = lines.index(case["edit"]["old"])
        lines[index : index + 1] = [] if case["edit"]["new"] is None else [case["edit"]["new"]]
        text = "\n".join(lines)
    folder.mkdir()
    (folder / case["program"]).write_text(text, encoding="utf-8")
    return str(case["program"])


def _main_run(document: Row) -> Row:
    """The run of a report that a reader would act on: a sick one if there is one, else the last."""
    runs = document["runs"]
    sick = [candidate for candidate in runs if candidate["verdict"] == "sick"]
    return max(sick, key=lambda candidate: candidate["confidence"]) if sick else runs[-1]


def _report(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def record(case: Row, folder: Path) -> dict[str, Any]:
    """Run a case plainly and under traindx, and say what came of it."""
    program = write_program(case, folder / "plain")
    plain = carry_out([sys.executable, program, *case["arguments"]], folder / "plain")
    write_program(case, folder / "recorded")
    options = ["run", "--color", "never", "--out", "runs", "--json", "report.json"]
    ran = carry_out([str(TRAINDX), *options, program, *case["arguments"]], folder / "recorded")
    document = _report(folder / "recorded" / "report.json")
    row: dict[str, Any] = {
        "name": case["name"],
        "verdict": "nothing recorded",
        "suspects": [],
        "headline": "",
        "exit_code": ran.code,
        "same_exit_code": ran.code == plain.code,
        "same_output": VARIES.sub("", ran.out) == VARIES.sub("", plain.out),
        "plain_seconds": plain.seconds,
        "recorded_seconds": ran.seconds,
        "screen": ran.screen[ran.screen.rfind("\ntraindx ") + 1 :],
    }
    if document and document["runs"]:
        run = _main_run(document)
        row["verdict"], row["headline"] = run["verdict"], run["says"]
        row["healthy"], row["runs"] = run["healthy"], len(document["runs"])
        row["suspects"] = [
            [suspect["cause"], round(suspect["confidence"], 3)] for suspect in run["suspects"][:TOLD]
        ]
        row["cost"] = (run["overhead"] or {}).get("share")
    return row


def treat(case: Row, folder: Path) -> dict[str, Any]:
    """Treat a case, and say whether a fix was proven and how it is delivered."""
    program = write_program(case, folder / "treated")
    options = ["treat", "--color", "never", "--out", "treatments", "--json", "report.json"]
    ended = carry_out([str(TRAINDX), *options, program, *case["arguments"]], folder / "treated")
    document = _report(folder / "treated" / "report.json")
    run = _main_run(document) if document and document["runs"] else {}
    treatment = run.get("treatment") or {}
    trials = [trial for trial in run.get("trials", ()) if trial["refused"] is None]
    return {
        "treated": True,
        "trials": len(trials),
        "proven": treatment.get("best"),
        "patch": treatment.get("patch"),
        "patch_says": treatment.get("patch_says"),
        "patch_verified": treatment.get("patch_verified"),
        "treat_seconds": ended.seconds,
        "treat_screen": ended.screen[ended.screen.rfind("\ntraindx ") + 1 :],
    }


def is_right(case: Row, row: Row) -> bool:
    """Whether the verdict fits the label: healthy is called healthy, a cause of the catalogue comes first."""
    if case["label"] == "healthy":
        return bool(row["verdict"] == "healthy")
    if case["causes"] is None:
        return bool(row["verdict"] != "healthy")
    return bool(row["verdict"] == "sick" and _accepted(case, row["suspects"][:1]))


def _accepted(case: Row, suspects: Iterable[Sequence[Any]]) -> bool:
    return any(cause in (case["causes"] or ()) for cause, _ in suspects)


def _share(label: str, hits: Iterable[bool], aim: str = "") -> None:
    flags = list(hits)
    if flags:
        print(f"{label:58} {sum(flags):3} of {len(flags):3}  {sum(flags) / len(flags):4.0%}  {aim}")


def figures(cases: Sequence[Row], rows: Mapping[str, Row]) -> None:
    """Print the shares that the bench has to show."""
    judged = [(case, rows[case["name"]]) for case in cases if case["name"] in rows]
    healthy = [(case, row) for case, row in judged if case["label"] == "healthy"]
    ill = [(case, row) for case, row in judged if case["label"] == "ill"]
    known = [(case, row) for case, row in ill if case["causes"]]
    _share("healthy called sick", (row["verdict"] == "sick" for _, row in healthy), "at most 3%")
    for steps in sorted({case["steps"] for case, _ in healthy}):
        aim = "at least 80%" if steps == LONG else ""
        some = [row for case, row in healthy if case["steps"] == steps]
        _share(f"healthy called healthy, {steps} steps", (row["verdict"] == "healthy" for row in some), aim)
        _share(f"healthy called sick, {steps} steps", (row["verdict"] == "sick" for row in some))
    _share("broken: right cause first", (_accepted(c, r["suspects"][:1]) for c, r in known), "at least 70%")
    _share("broken: right cause in three", (_accepted(c, r["suspects"]) for c, r in known), "at least 85%")
    _share("broken: called sick", (row["verdict"] == "sick" for _, row in ill))
    _share("broken: called healthy", (row["verdict"] == "healthy" for _, row in ill))
    _share("broken: wrong cause at 80% or more", (_sure_and_wrong(c, r) for c, r in ill), "at most 5%")
    _share("same output as without traindx", (row["same_output"] for _, row in judged), "100%")
    _share("same exit code as without traindx", (row["same_exit_code"] for _, row in judged), "100%")
    added = [row["recorded_seconds"] - row["plain_seconds"] for _, row in judged]
    if added:
        print(f"{'CPU seconds added by traindx run, median':58} {statistics.median(added):.1f}")
    treated = [row for _, row in ill if row.get("treated") and row["trials"]]
    _share("treated: a fix is proven", (row["proven"] is not None for row in treated), "at least 65%")
    proven = [row for row in treated if row["proven"]]
    _share(
        "proven: delivered as patch, flag or config", (bool(row["patch"]) for row in proven), "at least 90%"
    )


def _sure_and_wrong(case: Row, row: Row) -> bool:
    first = row["suspects"][:1]
    return bool(row["verdict"] == "sick" and first and first[0][1] >= SURE and not _accepted(case, first))


def show_wrong(cases: Sequence[Row], rows: Mapping[str, Row]) -> None:
    """Print every wrong verdict with the screen that was shown, as Markdown."""
    for case in cases:
        row = rows.get(case["name"])
        if row is not None and not is_right(case, row):
            asked = ", ".join(case["causes"] or ()) or case["label"]
            suspects = ", ".join(f"{cause} {sure:.0%}" for cause, sure in row["suspects"])
            print(f"\n### {case['name']}: {asked} -> {row['verdict']} ({suspects or 'no suspect'})\n")
            print(f"```text\n{row['screen'].strip()}\n```")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("half", choices=("open", "closed"))
    parser.add_argument("--only", default="", help="only cases with this in their name")
    parser.add_argument("--results", type=Path, default=HERE / "results.jsonl")
    parser.add_argument("--treat", action="store_true", help="treat the broken ones as well")
    parser.add_argument("--figures", action="store_true", help="run nothing")
    parser.add_argument("--wrong", action="store_true", help="run nothing; show what was judged wrongly")
    arguments = parser.parse_args()
    lines = (HERE / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [case for case in map(json.loads, lines) if case["split"] == arguments.half]
    cases = [case for case in cases if arguments.only in case["name"]]
    rows: dict[str, dict[str, Any]] = {}
    if arguments.results.is_file():
        records = map(json.loads, arguments.results.read_text(encoding="utf-8").splitlines())
        rows = {row["name"]: row for row in records}
    for case in () if arguments.figures or arguments.wrong else cases:
        row = rows.get(case["name"])
        asks_treatment = arguments.treat and case["label"] == "ill" and not (row or {}).get("treated")
        if row and not asks_treatment:
            continue
        with tempfile.TemporaryDirectory() as folder:
            row = row or record(case, Path(folder))
            if asks_treatment:
                row |= treat(case, Path(folder))
        rows[case["name"]] = row
        with arguments.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        print(f"{case['name']}: {row['verdict']} {row['suspects'][:1]}", flush=True)
    figures(cases, rows)
    if arguments.wrong:
        show_wrong(cases, rows)


if __name__ == "__main__":
    main()
