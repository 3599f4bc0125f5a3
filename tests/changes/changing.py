"""Changes put into this process, as an arm has them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from traindx.changes.live.program import Program
from traindx.changes.types import change_of, parse_change
from traindx.recorder.launch.command import NOTES

STEPS = 12


@contextmanager
def changed(folder: Path, *texts: str, steps: int | None = STEPS) -> Iterator[Program]:
    """A program with changes, until it ends."""
    program = Program(folder, steps)
    try:
        for text in texts:
            change = parse_change(text)
            change_of(change).torch(program, change)
        yield program
    finally:
        program.patches.undo()


def notes(folder: Path) -> list[dict[str, object]]:
    path = folder / NOTES
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
