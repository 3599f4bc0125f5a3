"""Roots and mechanisms: a why takes over the belief in the how that it explains.

Dead units, vanishing gradients, overfitting are how a training fails. Where something a person chose also
speaks for itself, the mechanism's belief goes to that root, as points that can be read like any others.
"""

import math
from collections.abc import Mapping

from traindx.cause import Cause, Kind
from traindx.diagnosis.types import Reason, total

Lines = Mapping[Cause, tuple[Reason, ...]]

MOST = 0.8
"""What a root can take of a mechanism: the true root may be one that nobody thought of."""
HEAD_START = 4.5
"""Points by which a root may lie behind its mechanism and be as likely: it had to be found, too."""
WELL_AHEAD = 5.0
"""Times the weight of its mechanism from which on a root needs no help."""
_CLEAR = 2.0
"""Points of one finding that show a mechanism at work."""
OWN = 1.5
"""Points that must speak for a root apart from what speaks for its mechanism."""
ROUNDING = 1e-9
"""What adding up points in another order may change."""


def with_roots(lines: Lines) -> dict[Cause, tuple[Reason, ...]]:
    """The reasons of all causes, with what roots gain by explaining mechanisms that are seen."""
    scores = {cause: total(reasons) for cause, reasons in lines.items()}
    found = {cause: list(reasons) for cause, reasons in lines.items()}
    for how in [cause for cause, reasons in lines.items() if cause.kind is Kind.HOW and _is_seen(reasons)]:
        roots = [why for why in lines if how.slug in why.acts_through and _speaks(lines[why], lines[how])]
        # Weights relative to the mechanism, so that none can overflow.
        weight = sum(math.exp(min(scores[why] - scores[how], 50.0)) for why in roots)
        # A root that is well ahead needs no help, and its mechanism stays in sight.
        if not roots or weight <= 0 or weight >= WELL_AHEAD:
            continue
        odds = math.exp(HEAD_START) * weight
        share = MOST * odds / (1 + odds)
        gain = math.log1p(share / weight)
        names = ", ".join(why.slug for why in roots)
        found[how].append(Reason(f"it is a consequence of {names}", math.log1p(-share)))
        for why in roots:
            found[why].append(Reason(f"it explains {how.slug}, which is found too", gain))
    return {cause: tuple(reasons) for cause, reasons in found.items()}


def is_seen_how(cause: Cause, reasons: tuple[Reason, ...]) -> bool:
    """Whether a cause is a mechanism that was clearly seen, whatever explains it."""
    return cause.kind is Kind.HOW and any(reason.seen and reason.points >= _CLEAR for reason in reasons)


def _is_seen(reasons: tuple[Reason, ...]) -> bool:
    return any(reason.seen and reason.points >= OWN for reason in reasons)


def _speaks(root: tuple[Reason, ...], mechanism: tuple[Reason, ...]) -> bool:
    """Whether something speaks for a root that does not speak for its mechanism as well."""
    shared = {reason.sign.slug for reason in mechanism if reason.sign and reason.seen}
    own = [one for one in root if one.seen and one.points > 0 and one.sign and one.sign.slug not in shared]
    return sum(reason.points for reason in own) >= OWN - ROUNDING
