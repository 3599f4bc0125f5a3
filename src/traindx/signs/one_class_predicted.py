"""A model that gives one answer to everything."""

from typing import Annotated

import numpy as np

from traindx.curves.inside import last_part, looked, seen_in
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import COMMONEST_PREDICTION_SHARE, COMMONEST_TARGET_SHARE
from traindx.run import Run


@sign(needs=(COMMONEST_PREDICTION_SHARE, COMMONEST_TARGET_SHARE), severity=Severity.SERIOUS)
def one_class_predicted(
    run: Run,
    *,
    share: Annotated[float, "of a batch; bench/thresholds.md#one-answer"] = 0.97,
    targets: Annotated[float, "of a batch; bench/thresholds.md#one-answer"] = 0.9,
) -> Answer:
    """Late in the run nearly all of a batch is predicted as one class, though it holds several."""
    given, right = looked(run, COMMONEST_PREDICTION_SHARE), looked(run, COMMONEST_TARGET_SHARE)
    if given is None or right is None or len(given) < 3:
        return CANNOT_TELL
    answer, truth = float(np.median(last_part(given.values))), float(np.median(last_part(right.values)))
    if answer < share or truth > targets:
        return None
    says = f"{answer:.0%} of a batch is predicted as one class, which {truth:.0%} of it is"
    return Finding(1.0, says, (seen_in(given, answer, share),))
