"""Questions about inputs, batches and the size of the data."""

from collections.abc import Mapping

from traindx.causes.batch_too_small import batch_tiny
from traindx.curves.facts import batches_per_epoch, fact_evidence, stated_number
from traindx.curves.limits import TRIPLE, graded
from traindx.facts import BATCH_SIZE, PARAMETERS, TRAINING_SAMPLES
from traindx.finding import Answer, CannotTell, Finding, Sign
from traindx.interview.complaints import (
    GRADIENTS_EXPLODE,
    GRADIENTS_VANISH,
    LOSS_NAN,
    LOSS_SLOW,
    LOSS_STUCK,
    LOSS_UNSTABLE,
    OVERFITTING,
    TRAINING_SLOW,
)
from traindx.interview.questions.types import Choice, Field, Plausible, Question, between, by_signs
from traindx.run import Fact, Run, Scalar
from traindx.signs.data import (
    data_tiny,
    input_outliers_seen,
    inputs_not_finite,
    inputs_unscaled,
    model_dwarfs_data,
)
from traindx.signs.loop import few_updates_per_epoch
from traindx.signs.targets import targets_not_finite, targets_unscaled

INPUT_SCALE = Question(
    slug="inputs",
    asks="Are inputs and targets normalized?",
    look="Print mean, std, min and max of one batch, per feature, and of its targets.",
    complaints=(LOSS_STUCK, LOSS_SLOW, LOSS_UNSTABLE, LOSS_NAN, GRADIENTS_EXPLODE, GRADIENTS_VANISH),
    choices=(
        Choice(
            "scaled",
            "both have mean near 0 and std near 1, or are tokens and classes",
            unseen=(inputs_unscaled, input_outliers_seen, targets_unscaled),
        ),
        Choice(
            "raw",
            "inputs are raw, such as 0 to 255 or features of very different scales",
            seen=(inputs_unscaled,),
            unseen=(input_outliers_seen,),
            fault=True,
        ),
        Choice(
            "targets",
            "inputs are normalized, targets are large or far from zero",
            seen=(targets_unscaled,),
            unseen=(inputs_unscaled,),
            fault=True,
        ),
        Choice(
            "outliers",
            "normalized, with a few outliers",
            seen=(input_outliers_seen,),
            unseen=(inputs_unscaled,),
            fault=True,
        ),
    ),
    known=0.85,
)

FINITE_DATA = Question(
    slug="finite",
    asks="Are all inputs and targets finite numbers?",
    look="Run assert torch.isfinite(x).all() on every batch of an epoch, or traindx examine data.",
    complaints=(LOSS_NAN,),
    choices=(
        Choice("clean", "yes, I checked every batch", unseen=(inputs_not_finite, targets_not_finite)),
        Choice("bad-inputs", "no, some inputs are NaN or infinite", seen=(inputs_not_finite,), fault=True),
        Choice("bad-targets", "no, some targets are NaN or infinite", seen=(targets_not_finite,), fault=True),
    ),
    known=0.6,
)

MODEL_SIZE = Question(
    slug="size",
    asks="How many parameters does the model have, and how many training samples?",
    look="Type both, such as 11M 50000, or Enter to skip. Count: sum(p.numel() for p in model.parameters()).",
    complaints=(OVERFITTING,),
    fields=(
        Field(PARAMETERS, ("parameters", "params"), plausible=between(10, 1e12)),
        Field(TRAINING_SAMPLES, ("samples", "training_samples"), plausible=between(10, 1e12)),
    ),
    judge=by_signs(model_dwarfs_data, data_tiny),
    examples=(("1M 50000", 1.0), ("11M 800", 0.5), ("10k 30", 0.1)),
    known=0.8,
)

_LARGEST_BATCH = 1e5
_UPDATE_LIMITS = {one.name: one.value for one in few_updates_per_epoch.limits}


def _judge_batches(run: Run) -> Mapping[Sign, Answer]:
    found = {sign: sign(run) for sign in (batch_tiny, data_tiny)}
    told = {sign: answer for sign, answer in found.items() if not isinstance(answer, CannotTell)}
    return told | _updates(run)


def _updates(run: Run) -> dict[Sign, Answer]:
    """What the sign asks by the limits it has, without the length of the run."""
    size, each = stated_number(run, BATCH_SIZE), batches_per_epoch(run)
    if size is None or each is None:
        return {}
    if each > _UPDATE_LIMITS["updates"] or size < _UPDATE_LIMITS["batch"]:
        return {few_updates_per_epoch: None}
    says = f"batch size {size:,.0f} gives only {each:.0f} updates per epoch"
    strength = graded(_UPDATE_LIMITS["updates"] / max(each, 1.0), 1.0, _UPDATE_LIMITS["updates"] / TRIPLE)
    return {few_updates_per_epoch: Finding(strength, says, (fact_evidence(run, BATCH_SIZE),))}


def _plausible_batch(facts: Mapping[Fact, Scalar]) -> Plausible:
    """No batch is larger than the data; above 100,000 it is tokens that are counted."""
    samples = facts.get(TRAINING_SAMPLES)
    if isinstance(samples, int | float) and samples < _LARGEST_BATCH:
        return Plausible(1, samples, f"{samples:,.0f} samples")
    return Plausible(1, _LARGEST_BATCH)


BATCHES = Question(
    slug="batch",
    asks="Batch size, and number of training samples?",
    look="Type both, such as 64 of 50000, or Enter to skip.",
    complaints=(LOSS_SLOW, LOSS_UNSTABLE, TRAINING_SLOW),
    fields=(
        Field(BATCH_SIZE, ("batch_size", "batch-size", "batch"), plausible=_plausible_batch),
        Field(TRAINING_SAMPLES, ("samples", "training_samples"), plausible=between(10, 1e12)),
    ),
    judge=_judge_batches,
    examples=(("64 of 50000", 1.0), ("2 of 5000", 0.15), ("8192 of 20000", 0.3)),
    known=0.95,
)
