"""The type of one measured line of a benchmark table."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """What one tool needed for one piece of work."""

    work: str
    """What was done, such as "1,000,000 TensorBoard scalars, 20 tags"."""
    tool: str
    cpu_seconds: float | None
    """Best of the repetitions; None where the tool is not installed or failed, and `note` says which."""
    peak_mb: float | None = None
    """Peak of the memory allocated by the work itself, in units of a million bytes."""
    note: str = ""
