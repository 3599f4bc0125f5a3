"""Input outliers.

## What happens
A few examples lie far outside the rest: a sensor fault, a unit mixed up, a picture that is all white, a
text of one repeated token, a price of 99,999,999. Their loss and gradient are many times the usual, and the
step they cause throws the weights off the path. Adam is hit twice, since the huge gradient stays in its
second moment and makes the following steps too small. One outlier in the data also stretches min-max
scaling so far that all other values are squeezed together.

## What you see
Single high spikes in the training loss on an otherwise calm curve, each followed by a few steps of
recovery. The gradient norm spikes at the same step as the loss, since the batch itself is bad, and not
before it. The spikes come back about once per epoch, or once per appearance of the example; with another
seed they stand at other steps but there are as many. Between them the run learns normally.

## Often confused with
- `lr-too-high`: spikes become fewer and lower with a smaller rate; an outlier's own loss stays high at any
  rate.
- `exploding-gradients`: the gradient norm grows for several steps before the loss does.
- `unnormalized-inputs`: all examples have a wild scale, and not a few.
- `batch-too-small`: the whole curve is a broad band, and not a calm one with single spikes.
- `label-noise`: the inputs of the bad examples look ordinary and only their targets are wrong.
- `not-shuffled`: the rise is at the same place in each epoch and lasts for many steps.
- `non-finite-inputs`: the value is NaN or infinite, and the loss never comes back.
- `attention-logit-growth`: the spikes become more frequent over thousands of steps, at ordinary batches.

## What not to do
- Deleting every example with a high loss: hard and rare cases are among them, and the network loses them.
- Lowering the rate until the spikes vanish: all other examples pay for a few bad ones.
- Standardising with the outliers still in: they set the standard deviation; use median and quantiles.
- Calling one recovered spike an illness: if the loss is back on its path after some steps, nothing needs
  doing.
- Changing the optimizer: the examples stay what they are.

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
from traindx.signs.chance import little_learned
from traindx.signs.data import input_outliers_seen
from traindx.signs.gradients import gradient_norm_grows
from traindx.signs.loss import loss_diverges, loss_falls, loss_flat_from_start
from traindx.signs.lr import lr_rise_hurts
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.spikes import loss_leaps_above_start, loss_oscillates, loss_spikes, spikes_recur
from traindx.signs.validation import validation_improves

CAUSE = Cause(
    slug="input-outliers",
    title="A few examples lie far outside the rest",
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
            title="List the examples with the highest loss, look at them, and repair or drop the broken ones",
            expect="a few examples carry a large share of the loss; without them the spikes are gone",
            safety=Safety.MANUAL,
            not_when="the losses have no long tail: no single example is to blame",
            before="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)  # nobody has looked at it""",
            code="""\
model.eval()
losses = []
with torch.no_grad():
    for x, y in DataLoader(train_data, batch_size=256):
        losses.append(nn.functional.cross_entropy(model(x), y, reduction="none"))
losses = torch.cat(losses)
for index in losses.topk(20).indices.tolist():
    print(index, losses[index].item(), train_data[index])
broken = {17, 4096}  # what you found by eye
keep = [index for index in range(len(train_data)) if index not in broken]
train_loader = DataLoader(Subset(train_data, keep), batch_size=64, shuffle=True)""",
        ),
        Prescription(
            title="Clip the gradient norm at about twice its usual value",
            expect="spikes stay below a few times the usual loss and the curve recovers within a step or two",
            safety=Safety.SAFE,
            not_when="most steps would be clipped: then the limit sets the rate",
            code="""\
loss.backward()
norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=2 * usual_norm)  # few steps should reach it
optimizer.step()
optimizer.zero_grad()""",
            change="gradients.clip p95",
        ),
        Prescription(
            title="Scale inputs by median and quantiles, and cut what lies far outside",
            expect="no input beyond the limit, no spike of the loss, and the same curve between the spikes",
            safety=Safety.ASK,
            not_when="the extreme values are what the network has to learn, as in fraud or fault finding",
            code="""\
low, middle, high = train_x.quantile(torch.tensor([0.25, 0.5, 0.75]), dim=0)
scale = (high - low).clamp_min(1e-6)
x = ((x - middle) / scale).clamp(-10, 10)""",
            change="inputs.clip 8",
        ),
        Prescription(
            title="After a spike that stays, go back to a checkpoint before it and skip its batches",
            expect="the loss goes on along its old path past the step of the spike",
            safety=Safety.MANUAL,
            not_when="the next spikes come at ordinary batches: then the rate or the weights are off",
            code="""\
saved = torch.load("before_the_spike.pt", weights_only=True)  # some hundred steps before it
model.load_state_dict(saved["model"])
optimizer.load_state_dict(saved["optimizer"])
for step, (x, y) in enumerate(train_loader, start=saved["step"] + 1):
    if step in bad_steps:
        continue
    train_step(x, y)""",
        ),
        Prescription(
            title="For outlying targets in regression, use a loss that grows linearly",
            expect="the spikes shrink to a few times the usual loss; the median error improves",
            safety=Safety.ASK,
            not_when="large errors matter more than many small ones",
            code="""\
loss_fn = nn.HuberLoss(delta=1.0)  # in units of the scaled target
y = (y - train_y.median()) / train_y.std()
loss = loss_fn(model(x).squeeze(-1), y)""",
        ),
    ),
    experiment=Experiment(
        does="Feed the batches of the three worst steps to a checkpoint from well before them",
        if_true="their loss is many times the usual there too, and one or two examples carry it",
        if_false="their loss is ordinary there: the weights were off, so look at the rate",
        minutes=10,
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
