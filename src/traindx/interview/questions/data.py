"""Questions about inputs, batches, labels, targets and the size of the data."""

from collections.abc import Mapping

from traindx.causes import label_noise, labels_misaligned, wrong_output_activation
from traindx.causes.batch_too_small import batch_tiny
from traindx.causes.class_imbalance import classes_unbalanced, rare_class_ignored
from traindx.causes.wrong_output_activation import sigmoid_with_categorical
from traindx.curves.facts import batches_per_epoch, fact_evidence, stated_number
from traindx.curves.limits import TRIPLE, graded
from traindx.facts import BATCH_SIZE, PARAMETERS, TRAINING_SAMPLES
from traindx.finding import Answer, CannotTell, Finding, Sign
from traindx.interview import complaints as c
from traindx.interview.questions.types import Choice, Field, Plausible, Question, between, by_signs
from traindx.run import Fact, Run, Scalar
from traindx.signs.data import (
    data_tiny,
    input_outliers_seen,
    inputs_not_finite,
    inputs_unscaled,
    labels_faulty,
    model_dwarfs_data,
)
from traindx.signs.generalization import confidently_wrong, validation_learns_nothing
from traindx.signs.loop import few_updates_per_epoch
from traindx.signs.nonfinite import nonfinite_from_loss
from traindx.signs.outputs import (
    activation_before_logits_loss,
    logits_where_probabilities_expected,
    output_bounded_target_not,
    output_rectified,
)
from traindx.signs.targets import (
    class_labels_in_regression_loss,
    shapes_broadcast,
    targets_not_finite,
    targets_unscaled,
)

INPUT_SCALE = Question(
    slug="inputs",
    asks="Are inputs and targets normalized?",
    look="Print mean, std, min and max of one batch, per feature, and of its targets.",
    complaints=c.NOT_TRAINING,
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
    complaints=(c.LOSS_NAN,),
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
    complaints=(c.OVERFITTING,),
    fields=(
        Field(PARAMETERS, ("parameters", "params"), plausible=between(10, 1e12)),
        Field(TRAINING_SAMPLES, ("samples", "training_samples"), plausible=between(10, 1e12)),
    ),
    judge=by_signs(model_dwarfs_data, data_tiny),
    examples=(("1M 50000", 1.0), ("11M 800", 0.5), ("10k 30", 0.1)),
    known=0.8,
)

_LARGEST_BATCH = 1e5
_UPDATE_LIMITS = {limit.name: limit.value for limit in few_updates_per_epoch.limits}


def _judge_batches(run: Run) -> Mapping[Sign, Answer]:
    answers = {sign: sign(run) for sign in (batch_tiny, data_tiny)}
    known = {sign: answer for sign, answer in answers.items() if not isinstance(answer, CannotTell)}
    return known | _updates(run)


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
    complaints=(c.LOSS_SLOW, c.LOSS_UNSTABLE, c.TRAINING_SLOW),
    fields=(
        Field(BATCH_SIZE, ("batch_size", "batch-size", "batch"), plausible=_plausible_batch),
        Field(TRAINING_SAMPLES, ("samples", "training_samples"), plausible=between(10, 1e12)),
    ),
    judge=_judge_batches,
    examples=(("64 of 50000", 1.0), ("2 of 5000", 0.15), ("8192 of 20000", 0.3)),
    known=0.95,
)


LABELS = Question(
    slug="labels",
    asks="Do the labels match the samples?",
    look="Show 20 samples as the model gets them, each with its label; count labels below 0 or not below the"
    " number of outputs.",
    complaints=(c.LOSS_STUCK, c.OVERFITTING, c.OTHER),
    choices=(
        Choice(
            "right",
            "yes, I checked some",
            unseen=(labels_faulty, confidently_wrong),
            speaks=((labels_misaligned.CAUSE, -2.5), (label_noise.CAUSE, -1.0)),
        ),
        Choice(
            "some-wrong",
            "some are wrong",
            seen=(confidently_wrong,),
            unseen=(labels_faulty,),
            speaks=((label_noise.CAUSE, +2.0),),
            fault=True,
        ),
        Choice(
            "mixed-up",
            "most belong to other samples",
            seen=(validation_learns_nothing,),
            unseen=(labels_faulty,),
            speaks=((labels_misaligned.CAUSE, +4.0),),
            fault=True,
        ),
        Choice(
            "out-of-range",
            "some are negative, or not below the number of outputs",
            seen=(labels_faulty,),
            fault=True,
        ),
    ),
    known=0.6,
)

CLASS_BALANCE = Question(
    slug="balance",
    asks="Are the classes balanced?",
    look="Count the labels; a regression has no classes.",
    complaints=(c.OTHER, c.OVERFITTING, c.LOSS_STUCK),
    choices=(
        Choice("even", "yes, or there are no classes", unseen=(classes_unbalanced, rare_class_ignored)),
        Choice("rare", "no, one is 10x rarer than another or more", seen=(classes_unbalanced,), fault=True),
    ),
    known=0.9,
)

LOSS_INPUT = Question(
    slug="output",
    asks="What do you pass to the loss function?",
    look="CrossEntropyLoss and BCEWithLogitsLoss expect logits, NLLLoss log_softmax output, BCELoss sigmoid"
    " output, MSELoss two equal shapes.",
    complaints=(c.LOSS_STUCK, c.LOSS_SLOW, c.GRADIENTS_VANISH, c.OTHER),
    choices=(
        Choice(
            "fits",
            "what it expects, in the shape of the target",
            unseen=(
                activation_before_logits_loss,
                output_bounded_target_not,
                output_rectified,
                logits_where_probabilities_expected,
                sigmoid_with_categorical,
                shapes_broadcast,
                class_labels_in_regression_loss,
            ),
        ),
        Choice(
            "activated",
            "softmax or sigmoid output, although the loss applies its own",
            formerly="squashed",
            seen=(activation_before_logits_loss,),
            unseen=(logits_where_probabilities_expected, shapes_broadcast),
            # It names the fault itself, and not only how it shows.
            speaks=((wrong_output_activation.CAUSE, +1.0),),
            fault=True,
        ),
        Choice(
            "bounded",
            "sigmoid or tanh output, although targets are outside its range",
            seen=(output_bounded_target_not,),
            unseen=(activation_before_logits_loss, shapes_broadcast),
            fault=True,
        ),
        Choice(
            "rectified",
            "ReLU output, although targets may be negative",
            seen=(output_rectified,),
            unseen=(activation_before_logits_loss, shapes_broadcast),
            fault=True,
        ),
        Choice(
            "raw",
            "logits, although the loss expects probabilities",
            seen=(logits_where_probabilities_expected,),
            unseen=(activation_before_logits_loss, shapes_broadcast),
            fault=True,
        ),
        Choice(
            "shapes",
            "a shape other than the target, such as (N, 1) and (N,)",
            seen=(shapes_broadcast,),
            unseen=(activation_before_logits_loss,),
            fault=True,
        ),
        Choice(
            "classes",
            "class indices, with a regression loss (MSELoss)",
            seen=(class_labels_in_regression_loss,),
            unseen=(shapes_broadcast,),
            fault=True,
        ),
    ),
    known=0.85,
)

LOSS_FUNCTION = Question(
    slug="loss-function",
    asks="Where does the loss function come from?",
    look="Search it for log, sqrt, pow, exp and divisions, and check them at 0.",
    complaints=(c.LOSS_NAN,),
    choices=(
        Choice("library", "a library, used as documented", unseen=(nonfinite_from_loss,)),
        Choice("own", "my own code, with log, sqrt, exp or a division", seen=(nonfinite_from_loss,)),
    ),
    known=0.95,
)
