"""Tells why a neural network's training fails, and proves the fix.

import traindx
for run in traindx.load("runs/"):
    print(run.name, traindx.diagnose(run).says)
"""

from importlib import import_module

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx import exams, facts, quantities
    from traindx.cause import Cause
    from traindx.checklist import Checklist
    from traindx.comparing import compare
    from traindx.comparison import Comparison
    from traindx.diagnosing import diagnose
    from traindx.diagnosis import Diagnosis, Verdict
    from traindx.errors import TraindxError, UnreadableError
    from traindx.event import Event
    from traindx.exams.learning_rate import find_rate
    from traindx.fact import Fact
    from traindx.finding import Evidence, Finding, Severity
    from traindx.learning_rate import FoundRate
    from traindx.loading.reading import Reading, follow, load, read
    from traindx.log import Unread
    from traindx.lr_finding import ProgramRate, lr_find
    from traindx.preflighting import preflight
    from traindx.prescription import Prescription
    from traindx.quantity import Quantity
    from traindx.run import Run, Segment
    from traindx.series import Axis, Series
    from traindx.treating import Treated, Wish, treat
    from traindx.watching import Watch, watch

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
    "TraindxError",
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
    "Axis": "series",
    "Cause": "cause",
    "Checklist": "checklist",
    "Comparison": "comparison",
    "Diagnosis": "diagnosis",
    "Event": "event",
    "Evidence": "finding",
    "Fact": "fact",
    "Finding": "finding",
    "FoundRate": "learning_rate",
    "Prescription": "prescription",
    "ProgramRate": "lr_finding",
    "Quantity": "quantity",
    "Reading": "loading.reading",
    "Run": "run",
    "Segment": "run",
    "Series": "series",
    "Severity": "finding",
    "TraindxError": "errors",
    "Treated": "treating",
    "Unread": "log",
    "UnreadableError": "errors",
    "Verdict": "diagnosis",
    "Watch": "watching",
    "Wish": "treating",
    "compare": "comparing",
    "diagnose": "diagnosing",
    "find_rate": "exams.learning_rate",
    "follow": "loading.reading",
    "load": "loading.reading",
    "lr_find": "lr_finding",
    "preflight": "preflighting",
    "read": "loading.reading",
    "treat": "treating",
    "watch": "watching",
}

_MODULES = ("exams", "facts", "keras", "lightning", "quantities", "transformers")


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name in _MODULES:
        return import_module(f"traindx.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'traindx' has no attribute {name!r}")
    value = getattr(import_module(f"traindx.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*__all__, "__version__"])
