"""Gradients that are NaN or infinite, also where the log hides it in the loss."""

from typing import Annotated

import numpy as np

from traindx.curves.curve import whole
from traindx.finding import Answer, Evidence, Finding, Severity, sign
from traindx.format import step
from traindx.quantities import GRADIENT_NORM
from traindx.run import Run


@sign(needs=(GRADIENT_NORM,), severity=Severity.CRITICAL)
def gradient_not_finite(
    run: Run,
    *,
    share: Annotated[float, "of steps that loss scaling may skip; bench/thresholds.md#skipped"] = 0.05,
) -> Answer:
    """The gradient norm becomes NaN or infinite."""
    norms = whole(run, GRADIENT_NORM)
    bad = ~np.isfinite(norms.values)
    if not bad.any():
        return None
    first = float(norms.steps[int(np.flatnonzero(bad)[0])])
    last = float(norms.steps[int(np.flatnonzero(bad)[-1])])
    # The second half only: loss scaling begins with overflows in healthy runs too.
    part = float(bad[len(bad) // 2 :].mean())
    lasting = bool(bad[-3:].all()) and len(bad) >= 3
    says = f"the gradient norm is not finite in {int(bad.sum()):,} of {len(bad):,} records"
    says += f", first at {norms.axis.value} {step(first)}"
    strength = 1.0 if lasting or part > 4 * share else max(0.1, min(1.0, part / (4 * share)))
    evidence = Evidence(
        GRADIENT_NORM, (first, last), float(norms.values[bad][0]), None, norms.axis, norms.part
    )
    return Finding(strength, says, (evidence,))
