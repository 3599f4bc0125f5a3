"""The screens of programs by someone who had not seen the renderers, at 80 and 120 columns.

    python -m tests.test_screens          record the programs of tests/screens anew (about a minute)

INDEX.jsonl says what is wrong with each, which verdict and cause are given today, and which `+` lines repair
it: they were run. `author` is what the author of the program expects, if that is another answer.
"""

import json
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.scripted import keep, kept_runs, record
from traindx.diagnosis.engine import diagnose
from traindx.report import text
from traindx.report.results import diagnosis

PROGRAMS = Path(__file__).parent / "screens"
RECORDINGS = Path(__file__).parent / "data" / "screens"
MOST_LINES = {"sick": 24, "healthy": 8, "inconclusive": 18}


@dataclass(frozen=True)
class Shown:
    """A program and what its screen must say, by its author."""

    program: str
    verdict: str
    cause: str
    plus: tuple[str, ...]
    """One of these must be in the lines that a fix adds; none where no line can be known."""
    arguments: tuple[str, ...]
    says: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.program}_typed" if self.arguments else self.program


@cache
def shown() -> tuple[Shown, ...]:
    rows = [json.loads(line) for line in (PROGRAMS / "INDEX.jsonl").read_text(encoding="utf-8").splitlines()]
    return tuple(
        Shown(
            row["program"],
            row["verdict"],
            row["cause"],
            tuple(row["plus"]),
            tuple(row.get("arguments", ())),
            tuple(row[key] for key in ("fact", "crash") if key in row),
        )
        for row in rows
    )


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("program", shown(), ids=lambda program: program.name)
def test_screen(
    program: Shown, columns: int, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    # Where the user stands: the fix is a diff of the source.
    monkeypatch.chdir(PROGRAMS)
    run = kept_runs(RECORDINGS / f"{program.name}.tar.xz")[-1]
    judged = diagnose(run)
    assert judged.verdict.value == program.verdict
    assert not program.cause or judged.suspects[0].cause.slug == program.cause
    screen = text.write(
        diagnosis.page(run, judged, report=".traindx/runs/train-1/report.html"), width=columns
    )
    lines = screen.splitlines()
    assert len(lines) <= MOST_LINES[program.verdict]
    added = [line for line in lines if line.startswith("    +")]
    assert bool(added) == bool(program.plus), "a fix without a line it is sure of is a sentence"
    assert not added or any(plus in line for line in added for plus in program.plus)
    assert all(words in " ".join(screen.split()) for words in program.says)
    assert screen == snapshot


def main() -> None:
    for program in shown():
        with tempfile.TemporaryDirectory() as folder:
            record(PROGRAMS / f"{program.program}.py", Path(folder), *program.arguments)
            keep(Path(folder), RECORDINGS / f"{program.name}.tar.xz")


if __name__ == "__main__":
    main()
