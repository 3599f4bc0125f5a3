"""Tells why a neural network's training fails, and proves the fix.

import traindx
for run in traindx.load("runs/"):
    print(run.name, run[traindx.quantities.TRAIN_LOSS].values[-1])
"""

from importlib import import_module

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx import facts, quantities
    from traindx.errors import TraindxError, UnreadableError
    from traindx.fact import Fact
    from traindx.loading.reading import Reading, follow, load, read
    from traindx.log import Event, Unread
    from traindx.quantity import Quantity
    from traindx.run import Run, Segment
    from traindx.series import Axis, Series

__version__ = "0.1.0"

__all__ = [
    "Axis",
    "Event",
    "Fact",
    "Quantity",
    "Reading",
    "Run",
    "Segment",
    "Series",
    "TraindxError",
    "Unread",
    "UnreadableError",
    "facts",
    "follow",
    "load",
    "quantities",
    "read",
]

# Resolved on first use, so that `traindx --help` need not load numpy.
_HOME = {
    "Axis": "series",
    "Event": "log",
    "Fact": "fact",
    "Quantity": "quantity",
    "Reading": "loading.reading",
    "Run": "run",
    "Segment": "run",
    "Series": "series",
    "TraindxError": "errors",
    "UnreadableError": "errors",
    "Unread": "log",
    "follow": "loading.reading",
    "load": "loading.reading",
    "read": "loading.reading",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for."""
    if name in ("facts", "quantities"):
        return import_module(f"traindx.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'traindx' has no attribute {name!r}")
    value = getattr(import_module(f"traindx.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*__all__, "__version__"])
