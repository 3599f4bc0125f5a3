"""Outliers in the training data.

A few samples are far outside the range of the rest, and each causes a loss spike when it is used.

## What happens
A few samples are far outside the range of the rest: a sensor fault, mixed-up units, an all-white image, a
text of one repeated token, a price of 99,999,999. Their loss and gradient are many times the typical size,
and the step they cause moves the weights off course. Adam is hit twice, since the huge gradient stays in its
second moment and makes the following steps too small. A single outlier also stretches min-max scaling so far
that all other values are squeezed together.

## What you see
The training loss is smooth except for single high spikes, each followed by a few steps of recovery. The
gradient norm spikes at the same step as the loss, since the batch itself is bad, not before it. The spikes
come back about once per epoch, or each time the sample is used; with another seed they are at other steps
but equally many. Between them the run learns normally.

## Often confused with
- `lr-too-high`: spikes become fewer and lower with a lower learning rate; here the loss of the outlier stays
  high at any learning rate.
- `exploding-gradients`: the gradient norm grows for several steps before the loss does.
- `unnormalized-inputs`: all samples have an extreme scale, not a few.
- `batch-too-small`: the whole curve is noisy, not smooth with single spikes.
- `label-noise`: the inputs of the bad samples look normal, and only their targets are wrong.
- `not-shuffled`: the rise is at the same position in each epoch and lasts for many steps.
- `non-finite-inputs`: the value is NaN or inf, and the loss never recovers.
- `attention-logit-growth`: the spikes become more frequent over thousands of steps, at normal batches.

## What not to do
- Delete every sample with a high loss: hard and rare cases are among them.
- Lower the learning rate until spikes vanish: all other samples pay for a few bad ones.
- Standardize with the outliers included: they dominate the std; use median and quartiles.
- Act on one spike that recovered: if the loss is back on course after some steps, nothing needs fixing.
- Change the optimizer: the samples stay the same.

## References
- Huber: Robust Estimation of a Location Parameter, Annals of Mathematical Statistics, 1964.
- Pascanu, Mikolov, Bengio: On the Difficulty of Training Recurrent Neural Networks, ICML, 2013 (norm
  clipping).
- Chowdhery and others: PaLM: Scaling Language Modeling with Pathways, 2022 (spikes passed by skipping
  batches, which did no harm at other weights).
- scikit-learn documentation: RobustScaler.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.facts import compares_numbers
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import little_learned
from traindx.signs.data import input_outliers_seen
from traindx.signs.gradients import gradient_norm_grows, most_steps_clipped
from traindx.signs.loss import loss_diverges, loss_falls, loss_flat_from_start
from traindx.signs.lr import lr_rise_hurts
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.spikes import loss_leaps_above_start, loss_oscillates, loss_spikes, spikes_recur
from traindx.signs.validation import validation_improves


def _is_not_regression(run: Run) -> bool:
    return facts.LOSS_FUNCTION in run.facts and not compares_numbers(run)


CAUSE = Cause(
    slug="input-outliers",
    area=Area.INPUTS,
    title="Outliers in the training data",
    prior=-4.59,
    acts_through=("exploding-gradients",),
    clues=(
        Clue(little_learned, seen=+0.47, unseen=-0.97),
        Clue(input_outliers_seen, seen=+4.59, unseen=-2.47),
        Clue(loss_leaps_above_start, seen=+0.55),
        Clue(spikes_recur, seen=+6.15, unseen=-0.24, group="spikes"),
        Clue(loss_spikes, seen=+0.82, group="spikes"),
        Clue(loss_falls, seen=+0.49, unseen=-1.60),
        Clue(validation_improves, seen=+0.33),
        Clue(loss_oscillates, seen=-1.90),
        Clue(loss_diverges, seen=-3.00),
        Clue(loss_flat_from_start, seen=-2.01),
        Clue(gradient_norm_grows, seen=-1.00),
        Clue(lr_rise_hurts, seen=-1.53),
        Clue(loss_not_finite, seen=-1.01),
    ),
    fixes=(
        Prescription(
            title="Inspect the highest-loss samples and fix the broken ones",
            expect="a few samples carry much of the loss; without them the spikes are gone",
            safety=Safety.MANUAL,
            not_when="the losses have no long tail: no single sample is the cause",
            before="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)""",
            code="""\
model.eval()
with torch.no_grad():
    batches = DataLoader(train_data, batch_size=256)
    losses = torch.cat([nn.functional.cross_entropy(model(x), y, reduction="none") for x, y in batches])
for index in losses.topk(20).indices.tolist():
    print(index, losses[index].item(), train_data[index])
broken = {17, 4096}  # confirmed by eye
keep = [index for index in range(len(train_data)) if index not in broken]
train_loader = DataLoader(Subset(train_data, keep), batch_size=64, shuffle=True)""",
        ),
        Prescription(
            title="Clip the gradient norm at its 95th percentile",
            expect="the loss recovers within a step or two after each outlier",
            safety=Safety.SAFE,
            not_when="most steps are already clipped: the limit then sets the step size",
            before="""\
loss.backward()
optimizer.step()""",
            code="""\
loss.backward()
nn.utils.clip_grad_norm_(model.parameters(), max_norm=limit)  # 95th percentile of the logged norms
optimizer.step()""",
            change="gradients.clip p95",
            unless=(most_steps_clipped,),
        ),
        Prescription(
            title="Clamp inputs at 8 robust std from the median",
            expect="the loss spikes are gone, and the curve between them is unchanged",
            safety=Safety.ASK,
            not_when="the extreme values are the signal, or a feature is mostly one value (robust std 0)",
            before="""\
x = train_x""",
            code="""\
median = train_x.median(dim=0).values
std = 1.4826 * (train_x - median).abs().median(dim=0).values  # robust, from the median distance
x = train_x.clamp(median - 8 * std, median + 8 * std)""",
            change="inputs.clip 8",
        ),
        Prescription(
            title="Roll back to before the spike and skip its batches",
            expect="the loss continues on its old course past the step of the spike",
            safety=Safety.MANUAL,
            not_when="the next spikes come at normal batches: check the learning rate",
            before="""\
for step, (x, y) in enumerate(train_loader):
    train_step(x, y)""",
            code="""\
saved = torch.load("before_the_spike.pt", weights_only=True)
model.load_state_dict(saved["model"])
optimizer.load_state_dict(saved["optimizer"])
for step, (x, y) in enumerate(train_loader):  # the same seed, so the same batches
    if step > saved["step"] and step not in bad_steps:
        train_step(x, y)""",
        ),
        Prescription(
            title="Use a Huber loss for outlying regression targets",
            expect="the spikes shrink to a few times the typical loss",
            safety=Safety.ASK,
            not_when="the task is not regression, or large errors matter more than many small ones",
            before="""\
loss_fn = nn.MSELoss()""",
            code="""\
loss_fn = nn.HuberLoss(delta=1.0)  # in units of the standardized target""",
            unless=(_is_not_regression,),
        ),
    ),
    experiment=Experiment(
        does="Compute the loss of the three worst batches with a checkpoint from well before them",
        if_true="their loss is many times the typical one there too",
        if_false="their loss is normal there: the weights were off, so check the learning rate",
        steps=0,
    ),
    page=__doc__,
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.UNSTABLE, Symptom.GRADIENTS_EXPLODE, Symptom.NOT_FINITE),
    misdiagnoses=(
        Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),
        Misdiagnosis(says="My batch is too small", blames="the batch size"),
    ),
    places=(facts.LOADER_PLACE,),
)
