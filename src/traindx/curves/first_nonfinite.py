"""Where the first value that is not finite came from, as the recorder found it."""

from traindx.event import Event, EventKind
from traindx.facts import NONFINITE_SOURCE
from traindx.finding import Evidence
from traindx.run import Run

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
