"""Validation rows that were trained on."""

from dataclasses import replace
from typing import Annotated

import numpy as np

from traindx.curves.inside import looked, seen_in
from traindx.curves.stated import place_of, stated_number
from traindx.facts import KEPT_ROWS, TRAINING_SAMPLES, VALIDATION_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import REPEATED_SHARE, SEEN_SHARE
from traindx.run import Run


@sign(needs=(SEEN_SHARE,), severity=Severity.SERIOUS)
def validation_rows_seen(
    run: Run, *, share: Annotated[float, "of validation rows; bench/thresholds.md#leakage"] = 0.15
) -> Answer:
    """Rows of the validation data also stand in the training data."""
    seen, trained = looked(run, SEEN_SHARE, "validation"), looked(run, SEEN_SHARE)
    if seen is None:
        return CANNOT_TELL
    found = float(np.max(seen.values))
    again = looked(run, REPEATED_SHARE)
    if again is not None and float(np.median(again.values)) > 0.9 and found > 0.9:
        # All data at every step, as of a graph whose nodes are divided by a mask: rows tell nothing there.
        return CANNOT_TELL
    # Only some training rows are kept: what is found is a part of what there is.
    kept, rows = stated_number(run, KEPT_ROWS), stated_number(run, TRAINING_SAMPLES)
    known = min(1.0, kept / rows) if kept and rows else 1.0
    if trained is not None and len(trained) > 2:
        known = min(1.0, max(known, float(np.quantile(trained.values, 0.9))))
    estimate = min(1.0, found / max(known, 0.05))
    if estimate < share or found < 0.02:
        return None
    says = f"about {estimate:.0%} of the validation rows also stand in the training data"
    evidence = replace(seen_in(seen, found, share), place=place_of(run, VALIDATION_PLACE))
    return Finding(min(1.0, 0.5 + 0.5 * (estimate - share) / 0.5), says, (evidence,))
