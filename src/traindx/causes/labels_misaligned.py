"""Labels misaligned with inputs.

Inputs and labels no longer belong together, so the input carries no information about its label.

## What happens
One side was shuffled, sorted, filtered or shifted without the other: files listed in two orders, a data
frame with a reset index, a dropped row, two loaders that shuffle separately, tokens shifted twice or not at
all, augmentation that moves the image but not its mask. The best any model can then do is ignore the input
and predict the label frequencies. Its loss is the entropy of the labels: `ln(C)` for `C` balanced classes,
the variance of the targets for regression with squared error. A large model goes on to memorize the
training pairs one by one.

## What you see
Train and validation loss stay at chance level and accuracy at the share of the most frequent class.
Everything else looks normal: ordinary gradient norms, no spikes, and neither the learning rate nor the
optimizer makes a difference. The loss may fall during the first steps, down to the entropy of the labels,
and stops there. A model large enough to memorize looks different: the training loss falls slowly after a
long flat start, while the validation loss stays at chance and then rises above it. If only the validation
set is misaligned, the training curve is perfect and validation is at chance.

## Often confused with
- `label-noise`: some of the labels are right, so validation gets clearly better than chance.
- `lr-too-low`: 16 samples cannot be memorized within a few hundred steps at this learning rate.
- `vanishing-gradients`: 16 samples cannot be memorized, and the first layers get almost no gradient.
- `bad-initialization`: 16 samples cannot be memorized, and the untrained outputs have the wrong scale.
- `frozen-parameters`: 16 samples cannot be memorized, and weights do not change.
- `overfitting`: the validation loss fell well below chance before it rose.
- `train-val-mismatch`: validation is poor but better than chance, and the pairs look right.
- `wrong-output-activation`: the loss of 16 samples stops at a floor, because the outputs cannot reach the
  targets.
- `parameters-not-optimized`: 16 samples cannot be memorized; gradients exist, but the weights stay at their
  initial values.
- `target-shape-broadcast`: predictions of shape (N, 1) meet targets of shape (N,) in a regression loss.
- `class-imbalance`: with balanced class weights, recall of the rare classes rises above chance.

## What not to do
- Tune the learning rate or the model: no setting finds information that is not in the data.
- Add regularization: the model is not too flexible, the pairs are wrong.
- Trust a falling training loss: a large network memorizes random labels too.
- Clean single labels with a noise filter: nearly all of them would have to go, because the pairing is
  broken.
- Inspect only inputs or only labels: each side looks fine on its own; only the pairs show the bug.

## References
- Zhang, Bengio, Hardt, Recht, Vinyals: Understanding Deep Learning Requires Rethinking Generalization,
  2017.
- Arpit and others: A Closer Look at Memorization in Deep Networks, 2017.
- Karpathy: A Recipe for Training Neural Networks, 2019, inspect the data right before the model.
- Northcutt, Athalye, Mueller: Pervasive Label Errors in Test Sets Destabilize Machine Learning Benchmarks,
  2021.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.objective import against_chance
from traindx.facts import CHANCE_LOSS
from traindx.finding import CANNOT_TELL, Answer, Severity, sign
from traindx.objective import CLASSIC_RL, Area
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run
from traindx.signs.activations import (
    activations_swell_over_depth,
    bottleneck_narrow,
    dead_units_many,
    sigmoids_stacked,
)
from traindx.signs.chance_level import (
    accuracy_at_chance,
    little_learned,
    loss_at_chance,
    starts_far_above_chance,
    validation_at_chance,
)
from traindx.signs.data import data_tiny, labels_faulty, model_dwarfs_data
from traindx.signs.evaluations import validation_never_moves
from traindx.signs.generalization import confidently_wrong, training_inputs_wider, validation_learns_nothing
from traindx.signs.gradients import (
    gradient_fades_over_depth,
    gradient_is_zero,
    gradient_never_arrives,
    gradient_norm_vanishes,
)
from traindx.signs.loss import loss_diverges, loss_flat_from_start, loss_plateaus, loss_still_falling
from traindx.signs.lr import lr_below_typical, lr_spent_at_once
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.outputs import activation_before_logits_loss
from traindx.signs.spikes import loss_leaps_above_start, loss_oscillates, noise_swamps_progress
from traindx.signs.targets import shapes_broadcast
from traindx.signs.validation import validation_improves, validation_never_improves
from traindx.signs.weights import (
    optimizer_has_stale_parameters,
    parameters_frozen,
    parameters_unoptimized,
    updates_large,
    updates_tiny,
    weights_start_equal,
)


@sign(needs=(CHANCE_LOSS, TRAIN_LOSS), severity=Severity.SERIOUS, healthy=-2.92)
def nothing_learned(
    run: Run,
    *,
    share: Annotated[float, "of the loss of a constant prediction; bench/thresholds.md#learned"] = 0.05,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 20,
) -> Answer:
    """The training loss ends at the constant-prediction baseline."""
    ends = against_chance(run, points)
    if ends is None:
        return CANNOT_TELL
    if abs(ends.chance - ends.loss.end) >= share * ends.chance + 2 * ends.loss.end_noise:
        return None
    return ends.finding(1.0, ends.chance * (1 - share), ", no better than a constant prediction at")


CAUSE = Cause(
    slug="labels-misaligned",
    # Pairs that do not match leave a contrastive loss at chance as labels do.
    area=Area.CURVE,
    not_for=(CLASSIC_RL,),
    title="Labels do not match their inputs",
    prior=-4.39,
    clues=(
        Clue(activations_swell_over_depth, seen=-0.72),
        Clue(starts_far_above_chance, seen=-1.05),
        Clue(lr_below_typical, seen=-2.07),
        Clue(bottleneck_narrow, seen=-2.07),
        Clue(training_inputs_wider, seen=-2.03),
        Clue(nothing_learned, seen=+2.03, unseen=-0.64, group="chance"),
        Clue(sigmoids_stacked, seen=-2.00),
        Clue(model_dwarfs_data, seen=-0.51),
        Clue(data_tiny, seen=-3.07),
        Clue(confidently_wrong, seen=-1.00),
        Clue(little_learned, seen=+1.60, unseen=-0.66),
        Clue(validation_learns_nothing, seen=+3.88, unseen=-0.92),
        Clue(updates_large, seen=-1.00),
        Clue(validation_at_chance, seen=+0.91),
        Clue(shapes_broadcast, seen=-2.00),
        Clue(gradient_fades_over_depth, seen=-1.59),
        Clue(parameters_unoptimized, seen=-1.50),
        Clue(optimizer_has_stale_parameters, seen=-3.00),
        Clue(labels_faulty, seen=-2.00),
        Clue(activation_before_logits_loss, seen=-2.00),
        Clue(weights_start_equal, seen=-3.00),
        Clue(updates_tiny, seen=-3.05),
        Clue(dead_units_many, seen=-2.01),
        Clue(gradient_never_arrives, seen=-2.51),
        Clue(parameters_frozen, seen=-1.52),
        Clue(noise_swamps_progress, seen=-1.00),
        Clue(gradient_is_zero, seen=-3.00),
        Clue(validation_never_moves, seen=-2.50),
        Clue(loss_leaps_above_start, seen=-1.56),
        Clue(loss_at_chance, seen=+1.66, unseen=-0.35, group="chance"),
        Clue(accuracy_at_chance, seen=+2.61, unseen=-0.60, group="chance"),
        Clue(loss_flat_from_start, seen=+0.99),
        Clue(loss_plateaus, seen=+1.00),
        Clue(validation_never_improves, seen=+1.75),
        Clue(validation_improves, seen=-1.16),
        Clue(gradient_norm_vanishes, seen=-1.51),
        Clue(loss_diverges, seen=-2.00),
        Clue(loss_not_finite, seen=-2.50),
        Clue(loss_still_falling, seen=-0.94),
        Clue(loss_oscillates, seen=-0.74),
        Clue(lr_spent_at_once, seen=-2.50),
    ),
    fixes=(
        Prescription(
            title="Shuffle inputs and labels with one permutation",
            expect="train and validation loss fall below chance level in the first epoch",
            safety=Safety.MANUAL,
            not_when="each pair is read from one record: then inspect the pairs first",
            before="""\
inputs = inputs[torch.randperm(len(inputs))]
labels = labels[torch.randperm(len(labels))]  # a different order
dataset = torch.utils.data.TensorDataset(inputs, labels)""",
            code="""\
order = torch.randperm(len(inputs))
inputs, labels = inputs[order], labels[order]
dataset = torch.utils.data.TensorDataset(inputs, labels)""",
        ),
        Prescription(
            title="Inspect 20 pairs as the model gets them",
            expect="wrong pairs are visible; once fixed, the loss falls below chance level",
            safety=Safety.MANUAL,
            not_when="the pairs cannot be judged by eye: then join both sides by an id and compare",
            code="""\
x, y = next(iter(loader))
for sample, label in zip(x[:20], y[:20]):
    print(tuple(sample.shape), float(sample.mean()), label.tolist())
    # images: matplotlib.pyplot.imshow(sample.permute(1, 2, 0)); text: tokenizer.decode(sample)""",
        ),
        Prescription(
            title="Join inputs and labels by an id, never by position",
            expect="the join keeps every row, and the loss falls below chance in an epoch",
            safety=Safety.MANUAL,
            not_when="the data has no id: then add one where the data is written",
            code="""\
label_of = dict(zip(label_ids, labels))
missing = [key for key in input_ids if key not in label_of]
assert not missing, f"{len(missing)} inputs without a label, the first is {missing[0]}"
labels = torch.tensor([label_of[key] for key in input_ids])""",
        ),
    ),
    experiment=Experiment(
        does="Train on 16 fixed samples for 300 steps, then inspect these 16 pairs as the model gets them",
        if_true="the 16 samples are memorized (loss near 0) and some pairs are wrong",
        if_false="the 16 samples cannot be memorized, or every pair is right",
        steps=300,
    ),
    page=__doc__,
    acts_through=("underfitting", "overfitting"),
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.NOT_LEARNING, Symptom.PLATEAU, Symptom.GENERALIZES_BADLY),
    misdiagnoses=(
        Misdiagnosis(says="I need to tune the hyperparameters", blames="some setting, to be found by search"),
        Misdiagnosis(says="My model is too small", blames="the capacity of the network"),
    ),
    places=(facts.LOADER_PLACE,),
)
