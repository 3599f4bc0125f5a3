"""The type of what a command has to say; renderers turn it into text, Markdown or JSON."""

from dataclasses import dataclass

from traindx.errors import UnreadableError
from traindx.run import Run

SCHEMA = "traindx.report/1"


@dataclass(frozen=True)
class Report:
    """Runs, what could not be read on the way, and how many files were no logs."""

    runs: tuple[Run, ...]
    problems: tuple[UnreadableError, ...] = ()
    other_files: int = 0
