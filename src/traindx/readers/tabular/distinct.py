"""Names that tell runs apart, where a store lets two runs share one."""

from collections import Counter
from collections.abc import Sequence


def distinct_names(names: Sequence[str], identities: Sequence[str]) -> list[str]:
    """The names, those that are shared followed by the start of the identity, or by all of it if need be."""
    uses = Counter(names)
    short = [n if uses[n] == 1 else f"{n} {i[:8]}" for n, i in zip(names, identities, strict=True)]
    uses = Counter(short)
    return [s if uses[s] == 1 else f"{n} {i}" for n, s, i in zip(names, short, identities, strict=True)]
