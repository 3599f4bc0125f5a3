"""Where the first value that is not finite came from, as the recorder found it."""

from traindx.curves.inside import looked, seen_in
from traindx.curves.stated import place_of
from traindx.facts import LOADER_PLACE, NONFINITE_SOURCE
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding
from traindx.run import Event, EventKind, Quantity, Run

POLES = frozenset(
    "log log2 log10 log1p div pow sqrt rsqrt reciprocal exp exp2 expm1 acos asin acosh atanh lgamma digamma"
    " logit erfinv xlogy std var norm cdist cumprod prod logsumexp".split()
)
"""Operations that leave the finite numbers at single points or beyond a bound."""


def first_nonfinite(run: Run) -> Event | None:
    """The earliest event of a NaN or an infinity."""
    bad = [event for event in run.events if event.kind is EventKind.NONFINITE]
    return min(bad, key=lambda event: event.step if event.step is not None else 0.0, default=None)


def nonfinite_evidence(event: Event, run: Run, place: str) -> Evidence:
    """The event as evidence, with its layer, step and batch."""
    at = event.step or 0.0
    source = run.facts.get(NONFINITE_SOURCE, event.operation or "unknown")
    return Evidence(NONFINITE_SOURCE, (at, at), source, layer=event.layer, batch=event.batch, place=place)


def not_finite_in(run: Run, quantity: Quantity, source: str, called: str) -> Answer:
    """Whether data held NaN or infinity: as the origin of the first one, or in a batch that was looked at."""
    event = first_nonfinite(run)
    if event is not None and run.facts.get(NONFINITE_SOURCE) == source:
        return Finding(1.0, event.says, (nonfinite_evidence(event, run, place_of(run, LOADER_PLACE)),))
    share = looked(run, quantity)
    if share is None:
        return CANNOT_TELL
    bad = share.values > 0
    if not bad.any():
        return None
    first, worst = float(share.steps[bad][0]), float(share.values.max())
    says = f"up to {worst:.2%} of the {called} are NaN or infinite, first at step {first:,.0f}"
    return Finding(1.0, says, (seen_in(share, worst, 0.0, (first, float(share.steps[bad][-1]))),))
