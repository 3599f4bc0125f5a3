"""Under which part a number of a batch is recorded."""

from traindx.recorder.probes.types import Purpose

VALIDATION = "validation"


def part_of(purpose: Purpose) -> str:
    """Empty for training batches, which most numbers are of."""
    return VALIDATION if purpose is Purpose.VALIDATION else ""
