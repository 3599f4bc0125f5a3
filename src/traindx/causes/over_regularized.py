"""Over-regularized.

Regularization meant to prevent memorizing is so strong that it prevents learning.

## What happens
Dropout removes too much of the signal, weight decay pulls the weights back as fast as the gradient moves
them, augmentation destroys what the label refers to, or label smoothing and mixup put a floor under the
loss. Several mild measures add up to a strong one.

Compare the right numbers. The training loss is measured with dropout, augmentation and smoothing, the
validation loss without. A validation loss below the training loss is therefore normal and not the problem;
the problem is that both stay high.

## What you see
The training loss settles early at a high level. The validation loss is equal or lower, often clearly lower,
and does not turn up. Training accuracy, logged with dropout, is lower than validation accuracy. If weight
decay is the reason, the weight norm shrinks from the start, and the loss may drift back toward chance
level.

## Often confused with
- `capacity-too-small`: switching the regularization off does not lower the training loss.
- `weight-decay-coupled`: AdamW with the same weight decay fixes it.
- `dropout-misuse`: one misplaced dropout (before the output, inside a recurrent step, before batch
  normalization) does the damage, and moving it fixes it.
- `train-val-leakage`: validation loss is below training loss in eval mode too; here it is above.
- `lr-too-low`: the loss falls slowly to the end, and a higher learning rate speeds it up.
- `lr-decayed-too-early`: the loss stops at the step where the learning rate became small.
- `underfitting`: the general mechanism; the training loss stays where it is with less regularization.

## What not to do
- Widen the model first: with the same penalties the wider model stops at nearly the same level.
- Train longer: gradient and penalty are in balance, and time does not change that.
- Take a small train-validation gap as success: both losses can be bad.
- Remove all regularization for good: fit the training set first, then add one measure at a time.
- Compare losses with and without dropout: evaluate the training set in eval mode instead.

## References
- Goodfellow, Bengio, Courville: Deep Learning, MIT Press, 2016, chapter 7.
- Krogh, Hertz: A Simple Weight Decay Can Improve Generalization, NIPS, 1991.
- Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov: Dropout: A Simple Way to Prevent Neural Networks
  from Overfitting, JMLR, 2014.
- Loshchilov, Hutter: Decoupled Weight Decay Regularization, ICLR, 2019.
- Müller, Kornblith, Hinton: When Does Label Smoothing Help?, NeurIPS, 2019.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import fact_evidence, is_recording, stated_number, stated_word
from traindx.curves.limits import linear
from traindx.facts import (
    DROPOUT,
    DROPOUT_LAYERS,
    LABEL_SMOOTHING,
    LOSS_PLACE,
    OPTIMIZER,
    PENALTY_SHARE,
    WEIGHT_DECAY,
)
from traindx.finding import CANNOT_TELL, Answer, CannotTell, Finding, Severity, sign
from traindx.format import number, percentage
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import little_learned, loss_at_chance
from traindx.signs.generalization import both_losses_high, training_inputs_wider
from traindx.signs.generalization_gap import validation_gap_wide
from traindx.signs.loss import loss_diverges, loss_falls_slowly, loss_plateaus, loss_still_falling
from traindx.signs.lr import lr_decayed_early
from traindx.signs.optimizer import decay_strong, dropout_extreme, l2_inside_adam
from traindx.signs.spikes import loss_leaps_above_start
from traindx.signs.validation import validation_below_train, validation_turns_up
from traindx.signs.weights import weights_shrink

_MILD_DECAY = {"adamw": 0.01, "sgd": 1e-4}
"""Weight decay that is not strong for an optimizer; bench/thresholds.md#decay."""
_MILD_DROPOUT = 0.1
"""The dropout of the fix, which would raise a smaller one; bench/thresholds.md#doses."""


@sign(needs=(LABEL_SMOOTHING,), severity=Severity.WARNING)
def label_smoothing_extreme(
    run: Run, *, share: Annotated[float, "of a label; bench/thresholds.md#smoothing"] = 0.4
) -> Answer:
    """Label smoothing is extreme."""
    value = stated_number(run, LABEL_SMOOTHING)
    if value is None:
        return CANNOT_TELL
    if not share <= value <= 1:
        return None
    says = f"label smoothing {number(value)} leaves {percentage(1 - value)} of each label (typical: 90%)"
    strength = linear(value, share, over=1 / 2)
    return Finding(strength, says, (fact_evidence(run, LABEL_SMOOTHING, LOSS_PLACE, limit=share),))


@sign(needs=(PENALTY_SHARE,), severity=Severity.SERIOUS)
def penalty_dominates(
    run: Run, *, share: Annotated[float, "of the loss; bench/thresholds.md#penalty"] = 0.5
) -> Answer:
    """A penalty on the weights is most of the loss, and the model learns little."""
    learned, largest = little_learned(run), stated_number(run, PENALTY_SHARE)
    # A model that learns can afford the penalty.
    if largest is None or largest < share or not isinstance(learned, Finding):
        return learned if isinstance(learned, CannotTell) else None
    says = f"a penalty on the weights is up to {percentage(largest)} of the loss"
    return Finding(
        linear(largest, share, over=1 / 2),
        says,
        (fact_evidence(run, PENALTY_SHARE, LOSS_PLACE, limit=share),),
    )


def _penalizes_little(run: Run) -> bool:
    return not isinstance(penalty_dominates(run), Finding)


def _smooths_little(run: Run) -> bool:
    return not isinstance(label_smoothing_extreme(run), Finding)


def _decays_little(run: Run) -> bool:
    decay = stated_number(run, WEIGHT_DECAY)
    if decay is None:
        return is_recording(run)
    return decay <= _MILD_DECAY.get(stated_word(run, OPTIMIZER), 0.0)


def _has_a_known_source(run: Run) -> bool:
    """Whether the program states what regularizes too much: that is to be weakened first."""
    decays = stated_number(run, WEIGHT_DECAY) is not None and not _decays_little(run)
    drops = bool(stated_number(run, DROPOUT)) and not _drops_little(run)
    return decays or drops or not _penalizes_little(run) or not _smooths_little(run)


def _drops_little(run: Run) -> bool:
    share = stated_number(run, DROPOUT)
    return share <= _MILD_DROPOUT if share else stated_number(run, DROPOUT_LAYERS) == 0


CAUSE = Cause(
    slug="over-regularized",
    area=Area.FIT,
    title="Too much regularization",
    prior=-3.96,
    acts_through=("underfitting",),
    clues=(
        Clue(training_inputs_wider, seen=+5.24),
        Clue(little_learned, seen=+0.95),
        Clue(l2_inside_adam, seen=-1.55),
        Clue(dropout_extreme, seen=+6.27, unseen=-0.30, group="strength"),
        Clue(label_smoothing_extreme, seen=+6.27, group="strength"),
        Clue(penalty_dominates, seen=+9.00, group="strength"),
        Clue(weights_shrink, seen=+1.64),
        Clue(decay_strong, seen=+4.29, unseen=-1.18, group="strength"),
        Clue(both_losses_high, seen=+3.65, unseen=-0.36),
        Clue(validation_below_train, seen=+1.99, unseen=-0.52),
        Clue(loss_plateaus, seen=+0.69),
        Clue(loss_at_chance, seen=+0.54),
        Clue(loss_still_falling, seen=-0.32),
        Clue(loss_falls_slowly, seen=+1.91),
        Clue(loss_leaps_above_start, seen=-2.02),
        Clue(loss_diverges, seen=-1.00),
        Clue(validation_turns_up, seen=-3.03),
        Clue(validation_gap_wide, seen=-2.01),
        Clue(lr_decayed_early, seen=-1.51),
    ),
    fixes=(
        Prescription(
            title="Divide the weight decay by 10",
            expect="the training loss falls below its old floor within an epoch",
            safety=Safety.ASK,
            not_when="the weight decay is already 0.01 or less with AdamW (1e-4 with SGD)",
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=1.0)""",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)""",
            change="regularize.weight_decay x 0.1",
            unless=(_decays_little,),
        ),
        Prescription(
            title="Lower dropout to 0.1",
            expect="the logged training loss drops at once and keeps falling",
            safety=Safety.ASK,
            not_when="dropout is 0.1 or less, or the validation loss already turns up",
            code="""\
for module in model.modules():
    if isinstance(module, (nn.Dropout, nn.Dropout1d, nn.Dropout2d, nn.Dropout3d)):
        module.p = min(module.p, 0.1)""",
            change="regularize.dropout 0.1",
            unless=(_drops_little, validation_turns_up),
        ),
        Prescription(
            title="Divide the penalty on the weights by 100",
            expect="the loss without the penalty falls below chance level, and the weights keep their size",
            safety=Safety.MANUAL,
            not_when="the penalty is less than half of the first loss",
            before="""\
penalty = 0.1 * sum(p.abs().sum() for p in model.parameters())
loss = torch.nn.functional.cross_entropy(model(x), y) + penalty""",
            code="""\
penalty = 0.001 * sum(p.abs().sum() for p in model.parameters())
loss = torch.nn.functional.cross_entropy(model(x), y) + penalty""",
            unless=(_penalizes_little,),
        ),
        Prescription(
            title="Set label smoothing to 0.1",
            expect="the loss falls below its old floor, and accuracy rises",
            safety=Safety.ASK,
            not_when="label smoothing is 0.4 or less",
            before="""\
loss = torch.nn.functional.cross_entropy(logits, labels, label_smoothing=0.9)""",
            code="""\
loss = torch.nn.functional.cross_entropy(logits, labels, label_smoothing=0.1)""",
            change="loss.label_smoothing 0.1",
            unless=(_smooths_little,),
        ),
        Prescription(
            title="Weaken the augmentation until every label is recognizable",
            expect="the training loss falls faster and further; validation follows",
            safety=Safety.MANUAL,
            not_when="augmented samples look natural and the training set is small",
            code="""\
augment = v2.RandomResizedCrop(size=(32, 32), scale=(0.7, 1.0))""",
            before="""\
augment = v2.RandomResizedCrop(size=(32, 32), scale=(0.08, 1.0))""",
            unless=(_has_a_known_source,),
        ),
    ),
    experiment=Experiment(
        does="Resume for 500 steps without regularization; compare the plain training loss in eval mode",
        if_true="this loss is clearly lower after the 500 steps",
        if_false="this loss stays where it was: only the logged loss changes",
        steps=500,
    ),
    page=__doc__,
    symptoms=(Symptom.PLATEAU, Symptom.SLOW),
    misdiagnoses=(
        Misdiagnosis(says="My model is too small", blames="the capacity of the network"),
        Misdiagnosis(says="I need more epochs", blames="too little training"),
    ),
    places=(facts.OPTIMIZER_PLACE, facts.MODEL_PLACE),
)
