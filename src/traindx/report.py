"""The type of what a command has to say; renderers turn it into text, Markdown, HTML or JSON."""

from dataclasses import dataclass

from traindx.comparison import Comparison
from traindx.diagnosis import Diagnosis
from traindx.errors import UnreadableError
from traindx.run import Run
from traindx.trial import Treatment

SCHEMA = "traindx.report/1"


@dataclass(frozen=True)
class Report:
    """Runs, what is known about them, what could not be read on the way, and how many files were no logs."""

    runs: tuple[Run, ...]
    problems: tuple[UnreadableError, ...] = ()
    other_files: int = 0
    diagnoses: tuple[Diagnosis, ...] = ()
    """One for each run, in the same order; empty when the runs were only read."""
    comparison: Comparison | None = None
    treatment: Treatment | None = None
    """What was tried on the program of the first run; None where nothing was."""

    def __post_init__(self) -> None:
        """Refuse diagnoses that do not belong to the runs."""
        if self.diagnoses and len(self.diagnoses) != len(self.runs):
            raise ValueError(f"{len(self.diagnoses)} diagnoses for {len(self.runs)} runs")
