"""The output of the model against what the loss function expects: activation, range, kind of value."""

import math
from typing import Annotated

from traindx.curves.facts import compares_numbers, fact_evidence, stated_number, stated_word
from traindx.curves.limits import MISTAKE, TINY
from traindx.curves.series import looked, seen_in
from traindx.facts import (
    CLASS_WEIGHTS,
    CLASSES,
    FROM_LOGITS,
    LABEL_SMOOTHING,
    LOSS_FUNCTION,
    LOSS_PLACE,
    LOSS_REDUCTION,
    OUTPUT_ACTIVATION,
)
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import code, number
from traindx.quantities import PREDICTION_MAX, PREDICTION_MIN, TARGET_MAX, TARGET_MIN
from traindx.run import Run


@sign(needs=(OUTPUT_ACTIVATION, TARGET_MIN), severity=Severity.SERIOUS)
def output_rectified(run: Run) -> Answer:
    """Output passes a ReLU, and targets are negative or all predictions are zero."""
    low, activation = looked(run, TARGET_MIN), stated_word(run, OUTPUT_ACTIVATION)
    if low is None:
        return CANNOT_TELL
    if activation != "relu" or not compares_numbers(run):
        return None
    least, highest = float(low.values.min()), looked(run, PREDICTION_MAX)
    rests = highest is not None and float(highest.values[-1]) == 0
    if least >= 0 and not rests:
        return None
    says = f"ReLU output is never negative, but targets go down to {number(least)}"
    if rests:
        says = "ReLU output is 0 for every prediction of the last sampled batch"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_ACTIVATION, LOSS_PLACE), seen_in(low, least, 0.0)))


_RAW = ("cross_entropy", "binary_cross_entropy_with_logits", "multilabel_soft_margin_loss")
CATEGORICAL = ("categorical_crossentropy", "sparse_categorical_crossentropy")
PROBABILITIES = (*CATEGORICAL, "binary_crossentropy")
"""Losses of Keras that expect probabilities unless told otherwise."""
_SQUASHED = ("softmax", "sigmoid", "relu", "tanh", "softplus", "hardtanh", "hardsigmoid")


@sign(
    needs=(OUTPUT_ACTIVATION, LOSS_FUNCTION),
    severity=Severity.SERIOUS,
    healthy=MISTAKE,
    formerly="squashed_twice",
)
def activation_before_logits_loss(run: Run) -> Answer:
    """An activated output goes into a loss that expects logits."""
    loss, activation = stated_word(run, LOSS_FUNCTION), stated_word(run, OUTPUT_ACTIVATION)
    expects_raw = loss in _RAW or (loss in PROBABILITIES and run.facts.get(FROM_LOGITS) is True)
    # The logarithm of a softmax passes through another one unchanged.
    if not expects_raw or activation not in _SQUASHED:
        return None
    applies = "softmax" if "binary" not in loss and "multilabel" not in loss else "sigmoid"
    if activation in ("softmax", "sigmoid"):
        why = f"which applies {applies}{' again' if activation == applies else ''}; {_bound(run, applies)}"
    else:
        why = "which expects unbounded logits"
    says = f"{activation} output goes into {code(loss)}, {why}"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_ACTIVATION, LOSS_PLACE),))


def _bound(run: Run, applies: str) -> str:
    """What logits between 0 and 1 do to the loss; a number where nothing else changes the loss."""
    classes = stated_number(run, CLASSES)
    changed = any(run.facts.get(fact) for fact in (LABEL_SMOOTHING, CLASS_WEIGHTS))
    if (
        applies != "softmax"
        or not classes
        or classes < 2
        or changed
        or stated_word(run, LOSS_REDUCTION) != "mean"
    ):
        return "logits between 0 and 1 keep the loss high"
    return f"the loss cannot go below {number(math.log1p((classes - 1) / math.e))}"


@sign(needs=(LOSS_FUNCTION, PREDICTION_MIN, PREDICTION_MAX), severity=Severity.CRITICAL)
def softmax_over_one(run: Run) -> Answer:
    """Softmax over a single output, in the model or in the loss."""
    low, high, loss = (
        looked(run, PREDICTION_MIN),
        looked(run, PREDICTION_MAX),
        stated_word(run, LOSS_FUNCTION),
    )
    if low is None or high is None:
        return CANNOT_TELL
    if _applies_softmax(run) and stated_number(run, CLASSES) == 1:
        says = f"{code(loss)} applies softmax to a single output: always 1, so the loss is always 0"
        return Finding(1.0, says, (fact_evidence(run, LOSS_FUNCTION, LOSS_PLACE),))
    sure = {"softmax": 1.0, "log_softmax": 0.0}.get(stated_word(run, OUTPUT_ACTIVATION))
    if sure is None or not (low.values == sure).all() or not (high.values == sure).all():
        return None
    says = f"every prediction is {sure:g}: softmax over a single output"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_ACTIVATION, LOSS_PLACE), seen_in(low, sure)))


def _applies_softmax(run: Run) -> bool:
    """Whether the loss function applies softmax by itself."""
    loss = stated_word(run, LOSS_FUNCTION)
    return loss == "cross_entropy" or (loss in CATEGORICAL and run.facts.get(FROM_LOGITS) is True)


_BOUNDS = {
    **dict.fromkeys(("sigmoid", "hardsigmoid", "softmax"), (0.0, 1.0)),
    **dict.fromkeys(("tanh", "hardtanh"), (-1.0, 1.0)),
    "log_softmax": (float("-inf"), 0.0),
    "cosine_similarity": (-1.0, 1.0),
}
"""The lowest and highest value of each activation; bench/thresholds.md#output."""


@sign(needs=(OUTPUT_ACTIVATION, TARGET_MIN, TARGET_MAX), severity=Severity.SERIOUS, healthy=-3.01)
def output_bounded_target_not(
    run: Run, *, beyond: Annotated[float, "share of the targets' range; bench/thresholds.md#output"] = 0.1
) -> Answer:
    """Targets outside the range of the output activation."""
    low, high = looked(run, TARGET_MIN), looked(run, TARGET_MAX)
    if low is None or high is None:
        return CANNOT_TELL
    activation = stated_word(run, OUTPUT_ACTIVATION)
    if activation not in _BOUNDS or not compares_numbers(run):
        return None
    least, most = float(low.values.min()), float(high.values.max())
    bottom, top = _BOUNDS[activation]
    out = max(bottom - least, most - top)
    if out <= beyond * max(most - least, TINY):
        return None
    says = f"{activation.replace('_', ' ')} output is between {bottom:g} and {top:g}, but targets"
    says += f" range from {number(least)} to {number(most)}"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_ACTIVATION, LOSS_PLACE), seen_in(high, most, top)))


_SHARES = ("softmax", "sigmoid", "hardsigmoid")


@sign(
    needs=(OUTPUT_ACTIVATION, LOSS_FUNCTION, PREDICTION_MAX),
    severity=Severity.SERIOUS,
    healthy=-2.83,
    formerly="raw_scores_for_probabilities",
)
def logits_where_probabilities_expected(run: Run) -> Answer:
    """Logits in a loss that expects probabilities."""
    loss, activation = stated_word(run, LOSS_FUNCTION), stated_word(run, OUTPUT_ACTIVATION)
    high, low = looked(run, PREDICTION_MAX), looked(run, PREDICTION_MIN)
    if high is None:
        return CANNOT_TELL
    most, least = float(high.values.max()), float(low.values.min()) if low is not None else 0.0
    if loss == "nll_loss":
        # The logarithm of a probability is never positive; a softmax without its logarithm always is.
        wrong, expects = activation != "log_softmax" and most > 0, "log-probabilities (at most 0)"
    elif loss == "binary_cross_entropy" or (loss in PROBABILITIES and run.facts.get(FROM_LOGITS) is not True):
        wrong, expects = (
            activation not in _SHARES and not _are_shares(activation, least, most),
            "probabilities",
        )
    else:
        return None
    if not wrong:
        return None
    made = "no activation" if activation == "none" else f"output of {activation}"
    says = f"`{loss}` expects {expects}, but gets values from {number(least)} to {number(most)} ({made})"
    return Finding(1.0, says, (fact_evidence(run, OUTPUT_ACTIVATION, LOSS_PLACE), seen_in(high, most)))


def _are_shares(activation: str, least: float, most: float) -> bool:
    """Whether values lie between 0 and 1 by an operation of the program's own, not by being cut off."""
    return activation == "none" and least > 0 and most < 1
