"""Tells why a neural network's training fails, and proves the fix.

import traindx
for run in traindx.load("runs/"):
    print(run.name, traindx.diagnose(run).says)
"""

from importlib import import_module

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx import exams, facts, quantities
    from traindx.cause import Cause, Prescription
    from traindx.comparison.engine import compare
    from traindx.comparison.types import Comparison
    from traindx.diagnosis.engine import diagnose
    from traindx.diagnosis.types import Diagnosis, Verdict
    from traindx.errors import TraindxError, UnreadableError
    from traindx.exams.learning_rate.loop import find_rate
    from traindx.exams.learning_rate.program import ProgramRate, lr_find
    from traindx.exams.learning_rate.types import FoundRate
    from traindx.exams.preflight.run import preflight
    from traindx.exams.preflight.types import Checklist
    from traindx.finding import Evidence, Finding, Severity
    from traindx.readers.loading.runs import Reading, follow, load, read
    from traindx.recorder.attach import Watch, watch
    from traindx.run import Axis, Event, Fact, Quantity, Run, Segment, Series, Skipped
    from traindx.trials.treatment import TreatOptions, TreatResult, treat

    Treated, Wish = TreatResult, TreatOptions

    Unread = Skipped

__version__ = "0.8.0"

__all__ = [
    "Axis",
    "Cause",
    "Checklist",
    "Comparison",
    "Diagnosis",
    "Event",
    "Evidence",
    "Fact",
    "Finding",
    "FoundRate",
    "Prescription",
    "ProgramRate",
    "Quantity",
    "Reading",
    "Run",
    "Segment",
    "Series",
    "Severity",
    "Skipped",
    "TraindxError",
    "TreatOptions",
    "TreatResult",
    "Treated",
    "Unread",
    "UnreadableError",
    "Verdict",
    "Watch",
    "Wish",
    "compare",
    "diagnose",
    "exams",
    "facts",
    "find_rate",
    "follow",
    "load",
    "lr_find",
    "preflight",
    "quantities",
    "read",
    "treat",
    "watch",
]

# Resolved on first use, so that `traindx --help` need not load numpy.
_HOME = {
    "Axis": "run",
    "Cause": "cause",
    "Checklist": "exams.preflight.types",
    "Comparison": "comparison.types",
    "Diagnosis": "diagnosis.types",
    "Event": "run",
    "Evidence": "finding",
    "Fact": "run",
    "Finding": "finding",
    "FoundRate": "exams.learning_rate.types",
    "Prescription": "cause",
    "ProgramRate": "exams.learning_rate.program",
    "Quantity": "run",
    "Reading": "readers.loading.runs",
    "Run": "run",
    "Segment": "run",
    "Series": "run",
    "Severity": "finding",
    "Skipped": "run",
    "TraindxError": "errors",
    "TreatOptions": "trials.treatment",
    "TreatResult": "trials.treatment",
    "UnreadableError": "errors",
    "Verdict": "diagnosis.types",
    "Watch": "recorder.attach",
    "compare": "comparison.engine",
    "diagnose": "diagnosis.engine",
    "find_rate": "exams.learning_rate.loop",
    "follow": "readers.loading.runs",
    "load": "readers.loading.runs",
    "lr_find": "exams.learning_rate.program",
    "preflight": "exams.preflight.run",
    "read": "readers.loading.runs",
    "treat": "trials.treatment",
    "watch": "recorder.attach",
}

_RENAMED = {"Treated": "TreatResult", "Unread": "Skipped", "Wish": "TreatOptions"}
"""Names of the version before, and what they are now."""

_MODULES = ("exams", "facts", "keras", "lightning", "quantities", "transformers")


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name in _MODULES:
        return import_module(f"traindx.{name}")
    current = _RENAMED.get(name, name)
    if current not in _HOME:
        raise AttributeError(f"module 'traindx' has no attribute {name!r}")
    value = getattr(import_module(f"traindx.{_HOME[current]}"), current)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*__all__, "__version__"])
