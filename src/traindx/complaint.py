"""The type of what a person comes with to an interview."""

import re
from dataclasses import dataclass

from traindx.sign import Sign
from traindx.symptom import Symptom


@dataclass(frozen=True, eq=False)
class Complaint:
    """One entry of the list that an interview begins with; every one is declared in `complaints`."""

    slug: str
    says: str
    """As a person would put it: "the loss becomes NaN or infinite"."""
    words: re.Pattern[str]
    """What people write who mean it."""
    symptoms: tuple[Symptom, ...]
    """What the causes behind it say of themselves."""
    seen: tuple[Sign, ...] = ()
    """Signs that the complaint itself answers with yes."""
    unseen: tuple[Sign, ...] = ()
