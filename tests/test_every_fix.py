"""A fix is not offered to a run that its `not_when` excludes, and every faulty run has one that suits it."""

from collections.abc import Mapping

import numpy as np
import pytest

from tests.twins import twin_of
from traindx import facts
from traindx.cause import Cause
from traindx.diagnosis import knowledge
from traindx.quantities import ATTENTION_LOGIT_RANGE, LOSS_SCALE
from traindx.run import Fact, Parameter, Quantity, Run, Scalar, Series

NONE: Mapping[Fact, Scalar] = {}
RECORDED: Mapping[Fact, Scalar] = {facts.RECORDED_SECONDS: 60.0}


def run_of(stated: Mapping[Fact, Scalar], kinds: tuple[str, ...], *recorded: Quantity) -> Run:
    steps = np.arange(3, dtype=np.float64)
    series = tuple(Series(quantity, steps, np.ones(3)) for quantity in recorded)
    model = tuple(Parameter(f"{kind}.weight", kind, (8, 8), True, True, True) for kind in kinds)
    return Run("run", series, facts=dict(stated), model=model)


def suiting(slug: str, run: Run) -> list[int]:
    """The fixes of a cause that suit a run, by their position."""
    cause = next(known for known in knowledge.causes() if known.slug == slug)
    return [position for position, fix in enumerate(cause.fixes, start=1) if fix.suits(run)]


@pytest.mark.parametrize("cause", knowledge.causes(), ids=lambda cause: cause.slug)
def test_a_faulty_run_has_a_fix_that_suits_it(cause: Cause) -> None:
    assert suiting(cause.slug, twin_of(cause.slug).broken())


@pytest.mark.parametrize(
    ("slug", "stated", "fixes"),
    [
        ("accumulation-not-divided", {facts.OPTIMIZER: "SGD"}, [1, 2, 3]),
        ("accumulation-not-divided", {facts.OPTIMIZER: "AdamW"}, [1, 2]),
        ("bad-initialization", {facts.LOSS_FUNCTION: "cross_entropy"}, [1, 2, 3, 4]),
        ("bad-initialization", {facts.LOSS_FUNCTION: "mse_loss"}, [1, 2, 4]),
        ("batch-too-small", {facts.STEPS_PER_EPOCH: 80}, [1, 2, 3]),
        ("batch-too-small", {facts.STEPS_PER_EPOCH: 79}, [3]),
        ("class-imbalance", {facts.CLASS_WEIGHTS: False}, [1, 2, 3, 4]),
        ("class-imbalance", {facts.CLASS_WEIGHTS: True}, [3, 4]),
        ("data-loading-bottleneck", {facts.DEVICE: "cuda"}, [1, 2, 3]),
        ("data-loading-bottleneck", {facts.DEVICE: "cpu"}, [1, 2]),
        ("dropout-misuse", {facts.DROPOUT_IN_VALIDATION: 1.0}, [1, 2, 3]),
        ("dropout-misuse", {facts.DROPOUT_IN_VALIDATION: 0.0}, [1, 3]),
        ("dropout-misuse", {**RECORDED, facts.OUTPUT_DROPOUT: 0.5}, [1, 2, 3]),
        ("dropout-misuse", RECORDED, [2, 3]),
        ("gradients-not-cleared", NONE, [1, 2, 3]),
        ("gradients-not-cleared", {**RECORDED, facts.BACKWARDS_PER_STEP: 1}, [1]),
        ("gradients-not-cleared", {**RECORDED, facts.OPTIMIZERS_IN_TURN: 2}, [1, 2, 3]),
        ("host-device-sync", {facts.DEVICE: "cpu"}, [1, 2]),
        ("input-outliers", {facts.LOSS_FUNCTION: "mse_loss"}, [1, 2, 3, 4, 5]),
        ("input-outliers", {facts.LOSS_FUNCTION: "cross_entropy"}, [1, 2, 3, 4]),
        ("label-noise", {facts.LABEL_SMOOTHING: 0.0}, [1, 2, 3, 4]),
        ("label-noise", {facts.LABEL_SMOOTHING: 0.1}, [1, 2, 3]),
        ("output-logit-drift", {facts.OPTIMIZER: "AdamW"}, [1, 2, 3, 4]),
        ("output-logit-drift", {facts.OPTIMIZER: "SGD"}, [1, 3, 4]),
        ("over-regularized", {facts.DROPOUT: 0.5}, [1, 2]),
        ("over-regularized", {facts.DROPOUT: 0.1}, [1, 5]),
        ("over-regularized", {facts.LABEL_SMOOTHING: 0.1}, [1, 2, 5]),
        ("over-regularized", {facts.LABEL_SMOOTHING: 0.9}, [1, 2, 4]),
        ("overfitting", {facts.OPTIMIZER: "AdamW", facts.WEIGHT_DECAY: 0.01}, [1, 2, 3, 4, 5, 6]),
        ("overfitting", {facts.OPTIMIZER: "AdamW", facts.WEIGHT_DECAY: 0.05}, [1, 2, 4, 5, 6]),
        ("overfitting", {facts.OPTIMIZER: "Adam"}, [1, 2, 4, 5, 6]),
        ("overfitting", {facts.DROPOUT: 0.2}, [1, 2, 3, 5, 6]),
    ],
)
def test_facts_exclude_fixes(slug: str, stated: Mapping[Fact, Scalar], fixes: list[int]) -> None:
    assert suiting(slug, run_of(stated, ())) == fixes


@pytest.mark.parametrize(
    ("slug", "stated", "kinds", "fixes"),
    [
        ("batch-too-large", {facts.BATCH_SIZE: 64}, ("Linear",), [1, 2, 3]),
        ("batch-too-large", {facts.BATCH_SIZE: 64}, ("BatchNorm1d",), [2, 3]),
        ("batch-too-large", {facts.BATCH_SIZE: 65}, ("BatchNorm1d",), [1, 2, 3]),
        ("batch-too-small", NONE, ("Linear",), [1, 2]),
        ("batch-too-small", NONE, ("BatchNorm2d",), [1, 3]),
        ("clipping-too-tight", NONE, ("MultiheadAttention",), [1]),
        ("exploding-gradients", {facts.MODEL: "Net"}, ("Linear",), [1, 2, 4, 5]),
        ("exploding-gradients", {facts.MODEL: "Net"}, ("RNN",), [1, 2, 3, 4, 5]),
        ("non-finite-inputs", NONE, ("Linear",), [1, 2, 3, 4]),
        ("non-finite-inputs", NONE, ("BatchNorm1d",), [1, 2, 3]),
    ],
)
def test_the_model_excludes_fixes(
    slug: str, stated: Mapping[Fact, Scalar], kinds: tuple[str, ...], fixes: list[int]
) -> None:
    assert suiting(slug, run_of(stated, kinds)) == fixes


@pytest.mark.parametrize(
    ("slug", "recorded", "fixes"),
    [
        ("clipping-too-tight", LOSS_SCALE, [1, 2, 3]),
        ("clipping-too-tight", ATTENTION_LOGIT_RANGE, [1]),
        ("half-precision-overflow", LOSS_SCALE, [1, 2, 4]),
        ("half-precision-overflow", ATTENTION_LOGIT_RANGE, [1, 2, 3, 4]),
    ],
)
def test_recorded_quantities_exclude_fixes(slug: str, recorded: Quantity, fixes: list[int]) -> None:
    assert suiting(slug, run_of(RECORDED, (), recorded)) == fixes
