"""Labels misaligned with inputs.

## What happens
Inputs and labels no longer belong together. Somewhere one of them was shuffled, sorted, filtered or shifted
without the other: files listed in two orders, a data frame with a reset index, a dropped row, two loaders
shuffled apart, tokens shifted twice or not at all, augmentation that moves the image and not its mask. The
input then tells nothing about the label, and the best any model can do is to ignore it and answer with the
frequencies. Its loss is the entropy of the labels, `ln(C)` for `C` equally frequent classes, the variance
of the targets for regression. A large model goes on to learn the training pairs by heart, one by one.

## What you see
Train and validation loss lie at chance, accuracy at the share of the most frequent class, and everything
else is in order: the gradient norm is ordinary, nothing spikes, and neither rate nor optimizer changes the
picture. The loss may fall in the first steps, from the start to the entropy of the labels, and stops there.
A model with room to memorise shows another picture: the training loss falls slowly, after a long flat
start, while the validation loss stays at chance and then rises above it. If only the validation set is
misaligned, the training curve is perfect and validation is at chance.

## Often confused with
- `label-noise`: some of the labels are right, so validation gets clearly better than chance.
- `lr-too-low`: 16 samples cannot be memorised in a few hundred steps at this rate.
- `vanishing-gradients`: 16 samples cannot be memorised, and the first layers get next to no gradient.
- `bad-initialization`: 16 samples cannot be memorised, and the untrained outputs have a wrong scale.
- `frozen-parameters`: 16 samples cannot be memorised, and weights do not move.
- `overfitting`: the validation loss fell well below chance before it rose.
- `train-val-mismatch`: validation is off, but better than chance, and the pairs look right.
- `wrong-output-activation`: 16 samples stop at a floor, because the outputs cannot reach their targets.
- `parameters-not-optimized`: 16 samples cannot be memorised; gradients are there and weights stay as drawn.
- `target-shape-broadcast`: a regression at the variance of its targets, where predictions (N, 1) meet
  targets (N,).
- `class-imbalance`: accuracy is the share of the largest class, but the loss is below the entropy of the
  labels.

## What not to do
- Tuning the rate, the model or the optimizer: no setting finds what the data does not hold.
- Adding regularisation because validation is bad: the model is not too free, the pairs are wrong.
- Trusting a falling training loss: a large network learns random labels by heart.
- Cleaning labels one by one with a noise filter: nearly all of them would have to go, because the pairing
  is broken.
- Looking only at inputs or only at labels: each is fine, and only the pair shows it.

## References
- Zhang, Bengio, Hardt, Recht, Vinyals: Understanding Deep Learning Requires Rethinking Generalization,
  2017.
- Arpit and others: A Closer Look at Memorization in Deep Networks, 2017.
- Karpathy: A Recipe for Training Neural Networks, 2019, look at the data right before the model.
- Northcutt, Athalye, Mueller: Pervasive Label Errors in Test Sets Destabilize Machine Learning Benchmarks,
  2021.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.objective import against_chance
from traindx.facts import CHANCE_LOSS
from traindx.finding import CANNOT_TELL, Answer, Severity, sign
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run
from traindx.signs.activations import (
    activations_swell_over_depth,
    bottleneck_narrow,
    dead_units_many,
    sigmoids_stacked,
)
from traindx.signs.chance import (
    accuracy_at_chance,
    little_learned,
    loss_at_chance,
    starts_far_above_chance,
    validation_at_chance,
)
from traindx.signs.data import data_tiny, labels_faulty, model_dwarfs_data
from traindx.signs.generalization import confidently_wrong, training_inputs_wider, validation_learns_nothing
from traindx.signs.gradients import (
    gradient_fades_over_depth,
    gradient_is_zero,
    gradient_never_arrives,
    gradient_norm_vanishes,
)
from traindx.signs.loss import loss_diverges, loss_flat_from_start, loss_plateaus, loss_still_falling
from traindx.signs.lr import lr_below_typical
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.spikes import loss_leaps_above_start, loss_oscillates, noise_swamps_progress
from traindx.signs.targets import activation_before_logits_loss, shapes_broadcast
from traindx.signs.validation import validation_improves, validation_never_improves, validation_never_moves
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
    share: Annotated[float, "of what the best constant guess loses; bench/thresholds.md#learned"] = 0.05,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 20,
) -> Answer:
    """The training loss ends at that of the best constant guess, whatever is predicted."""
    ends = against_chance(run, points)
    if ends is None:
        return CANNOT_TELL
    if abs(ends.chance - ends.loss.end) >= share * ends.chance + 2 * ends.loss.end_noise:
        return None
    return ends.finding(1.0, ends.chance * (1 - share), ", the best constant guess at")


CAUSE = Cause(
    slug="labels-misaligned",
    title="Labels do not belong to their inputs",
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
    ),
    fixes=(
        Prescription(
            title="Keep both sides in one data set and permute them with one index",
            expect="train and validation loss fall below chance within the first epoch",
            safety=Safety.MANUAL,
            not_when="each pair is read from one record: then look at the pairs first",
            before="""\
inputs = inputs[torch.randperm(len(inputs))]
labels = labels[torch.randperm(len(labels))]  # an order of its own
dataset = torch.utils.data.TensorDataset(inputs, labels)
loader = torch.utils.data.DataLoader(dataset, batch_size=64, shuffle=True)""",
            code="""\
order = torch.randperm(len(inputs))
inputs, labels = inputs[order], labels[order]  # one order for both
dataset = torch.utils.data.TensorDataset(inputs, labels)
loader = torch.utils.data.DataLoader(dataset, batch_size=64, shuffle=True)""",
        ),
        Prescription(
            title="Look at twenty pairs as the model gets them, after all transforms",
            expect="wrong pairs are seen by eye; once repaired, the loss leaves chance within an epoch",
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
            expect="the join keeps every row, and the loss leaves chance within an epoch",
            safety=Safety.MANUAL,
            not_when="there is no id in the data: then make one where the data is written",
            code="""\
label_of = dict(zip(label_ids, labels))
missing = [one for one in input_ids if one not in label_of]
assert not missing, f"{len(missing)} inputs without a label, the first is {missing[0]}"
labels = torch.tensor([label_of[one] for one in input_ids])""",
        ),
    ),
    experiment=Experiment(
        does="Train on 16 fixed samples for 300 steps, then look at these 16 pairs as the model gets them",
        if_true="the loss of the 16 goes to zero, so the network can learn, and pairs look wrong",
        if_false="the 16 cannot be memorised, or every pair is right",
        minutes=5,
    ),
    page=__doc__,
    acts_through=("underfitting", "overfitting"),
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.NOT_LEARNING, Symptom.PLATEAU, Symptom.GENERALISES_BADLY),
    misdiagnoses=(
        Misdiagnosis(says="I need to tune the hyperparameters", blames="some setting, to be found by search"),
        Misdiagnosis(says="My model is too small", blames="the capacity of the network"),
    ),
    places=(facts.LOADER_PLACE,),
)
