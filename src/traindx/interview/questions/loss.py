"""Questions about the training loss over time."""

from traindx.causes import (
    class_imbalance,
    degenerate_labels,
    dropout_misuse,
    misleading_metric,
    train_val_leakage,
)
from traindx.causes.class_imbalance import one_class_predicted
from traindx.causes.labels_misaligned import nothing_learned
from traindx.causes.loss_sign_or_reduction import loss_falls_without_floor
from traindx.interview import complaints as c
from traindx.interview.questions.types import Choice, Question
from traindx.signs.chance_level import little_learned, loss_at_chance
from traindx.signs.data import labels_faulty
from traindx.signs.loss import (
    loss_converged,
    loss_diverges,
    loss_falls,
    loss_falls_slowly,
    loss_flat_from_start,
    loss_plateaus,
    loss_still_falling,
)
from traindx.signs.nonfinite import fails_in_first_steps, fails_without_warning, loss_climbs_before_failure
from traindx.signs.spikes import loss_leaps_above_start, loss_oscillates, spikes_recur
from traindx.signs.validation import validation_below_train

LOSS_COURSE = Question(
    slug="course",
    asks="How did the training loss change from the first step?",
    look="Compare the first and the last losses in the log.",
    complaints=(c.LOSS_STUCK,),
    choices=(
        Choice(
            "flat",
            "never fell",
            seen=(loss_flat_from_start,),
            unseen=(loss_falls, loss_plateaus, loss_falls_slowly),
        ),
        Choice(
            "fell",
            "fell at first, then flat",
            seen=(loss_falls, loss_plateaus),
            unseen=(loss_flat_from_start, loss_falls_slowly),
        ),
        Choice(
            "slow",
            "still falls, but very slowly",
            seen=(loss_falls_slowly, loss_still_falling),
            unseen=(loss_plateaus,),
        ),
    ),
    first=(c.LOSS_STUCK,),
)

LOSS_LEVEL = Question(
    slug="level",
    asks="How does the training loss compare with chance level?",
    look="Chance level is ln(number of classes): 0.69 for 2, 2.30 for 10, 4.61 for 100; for MSE, the variance"
    " of the targets.",
    complaints=(c.LOSS_STUCK, c.GRADIENTS_VANISH),
    choices=(
        Choice(
            "guessing",
            "about at chance level",
            seen=(loss_at_chance, nothing_learned, little_learned),
            unseen=(loss_converged,),
        ),
        Choice(
            "learned",
            "clearly below chance level, but too high",
            unseen=(loss_at_chance, nothing_learned, little_learned, loss_converged),
        ),
        Choice(
            "floor",
            "about as low as the task allows",
            seen=(loss_converged,),
            unseen=(loss_at_chance, nothing_learned, little_learned, loss_plateaus),
        ),
    ),
    first=(c.LOSS_STUCK,),
    known=0.9,
)

NAN_ONSET = Question(
    slug="onset",
    asks="When did the loss become NaN or infinite?",
    look="Print every loss of the last steps before it.",
    complaints=(c.LOSS_NAN,),
    choices=(
        Choice(
            "first-steps",
            "within the first steps",
            seen=(fails_in_first_steps,),
            unseen=(loss_climbs_before_failure,),
        ),
        Choice(
            "after-climb",
            "later, after the loss or gradients grew",
            seen=(loss_climbs_before_failure,),
            unseen=(fails_without_warning, fails_in_first_steps),
        ),
        Choice(
            "sudden",
            "later, from one step to the next",
            seen=(fails_without_warning,),
            unseen=(loss_climbs_before_failure, fails_in_first_steps),
        ),
    ),
    first=(c.LOSS_NAN,),
)

LOSS_INSTABILITY = Question(
    slug="swing",
    asks="How is the loss unstable?",
    look="Look at the raw losses, not at a smoothed curve.",
    complaints=(c.LOSS_UNSTABLE,),
    choices=(
        Choice(
            "oscillates",
            "oscillates all the time",
            seen=(loss_oscillates,),
            unseen=(loss_diverges, spikes_recur),
            formerly="swings",
        ),
        Choice(
            "spikes",
            "falls, with spikes that recover",
            seen=(spikes_recur, loss_falls),
            unseen=(loss_diverges, loss_oscillates),
        ),
        Choice("climbs", "rises and ends far above its best", seen=(loss_diverges,), unseen=(spikes_recur,)),
        Choice(
            "jumps",
            "jumps far above its initial value in the first steps",
            seen=(loss_leaps_above_start, loss_diverges),
            formerly="leaps",
        ),
    ),
    first=(c.LOSS_UNSTABLE,),
)

ODDITY = Question(
    slug="oddity",
    asks="What is suspicious?",
    look="Choose the closest one.",
    complaints=(c.OTHER,),
    choices=(
        Choice(
            "perfect",
            "the metric is too good, or good from the start",
            unseen=(one_class_predicted, labels_faulty),
            speaks=(
                (train_val_leakage.CAUSE, +3.0),
                (degenerate_labels.CAUSE, +2.0),
                (misleading_metric.CAUSE, +1.0),
            ),
        ),
        Choice(
            "one-answer",
            "the model always predicts the same",
            seen=(one_class_predicted,),
            unseen=(labels_faulty, loss_falls_without_floor),
            speaks=((class_imbalance.CAUSE, +1.5),),
        ),
        Choice(
            "frozen-metric",
            "the loss falls, but accuracy does not change",
            unseen=(labels_faulty,),
            speaks=((misleading_metric.CAUSE, +3.5), (class_imbalance.CAUSE, +1.0)),
        ),
        Choice(
            "below-zero",
            "the loss goes below zero and keeps falling",
            seen=(loss_falls_without_floor,),
            unseen=(labels_faulty,),
        ),
        Choice(
            "val-better",
            "validation is better than training",
            seen=(validation_below_train,),
            unseen=(labels_faulty,),
            speaks=((dropout_misuse.CAUSE, +1.0), (train_val_leakage.CAUSE, +1.0)),
        ),
        Choice(
            "crash",
            "it crashes with an index error, a device-side assert or a label out of range",
            seen=(labels_faulty,),
            unseen=(one_class_predicted,),
        ),
    ),
    first=(c.OTHER,),
)
