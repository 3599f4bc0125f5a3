"""The recorded trainings of tests/data/curves, by their name."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from traindx.readers.loading.runs import load
from traindx.run import Run

CURVES = Path(__file__).parent / "data" / "curves"


@dataclass(frozen=True)
class Case:
    """What an expert says who looks at a recorded training."""

    id: str
    verdict: str
    causes: tuple[str, ...]
    signs: tuple[str, ...]
    not_signs: tuple[str, ...]


@cache
def curve(name: str) -> Run:
    """The run of a case: the one with most points where its folder holds several."""
    return max(load(CURVES / name), key=lambda run: sum(len(series) for series in run.series))


@cache
def cases() -> tuple[Case, ...]:
    """Every labeled case."""
    lines = (CURVES / "INDEX.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return tuple(
        Case(
            row["id"],
            row["verdict"],
            tuple(row["causes"]),
            tuple(row["signs"]),
            tuple(row.get("not_signs", ())),
        )
        for row in rows
    )
