"""Non-finite inputs.

## What happens
A NaN or an infinity comes in with the data: a missing cell in a table, a division by an empty count or a
zero standard deviation, the logarithm of 0, a corrupt file, an audio clip of silence that was normalised, a
number too large for float16. One such value makes the output and the loss of its batch NaN, the backward
pass makes every gradient NaN, and one optimizer step makes every weight NaN. From then on nothing is
finite, whatever comes in.

A mask applied by multiplication does not help, since 0 times NaN is NaN.

## What you see
The loss is ordinary, then NaN from one step to the next and for good, with no climb and no growing gradient
norm before it. It happens at the first meeting with the bad example: in the first epoch, or later where
augmentation or a rare feature makes the value. Without shuffling it is the same step in each run; with
another seed it is another step. If the loss scaler or a check skips such steps, single NaN steps stand in
an otherwise good curve. Only the validation loss is NaN when the bad value is in the validation set.

## Often confused with
- `exploding-gradients`: the loss or the gradient norm climbs for some steps before the NaN.
- `lr-too-high`: the loss rises or swings before the NaN, and a ten times lower rate survives the same
  batch.
- `unstable-loss-function`: every input is finite, and the first NaN appears in a log, division, root or exp
  of the loss.
- `half-precision-overflow`: the same batch is finite in float32.
- `labels-out-of-range`: the inputs are finite but a target lies outside what the loss allows.
- `input-outliers`: the values are huge but finite, so the loss spikes first.

## What not to do
- Lowering the learning rate: the same example makes the same NaN one epoch later.
- Clipping the gradients: the norm of a NaN gradient is NaN, and clipping by it makes all of them NaN.
- Replacing NaN in the loss by 0 with nan_to_num: the loss looks fine while the gradient may still be NaN,
  and the bad example stays.
- Resuming from the last checkpoint without a look: if it was written after the NaN, every weight in it is
  NaN.
- Leaving detect_anomaly on: it names the operation but slows training severalfold; use it for one batch.
- Filling every gap with 0 silently: 0 may be a meaningful value; impute and add a column that says so.

## References
- PyTorch documentation: torch.autograd.detect_anomaly; torch.isfinite.
- Goldberg: What Every Computer Scientist Should Know About Floating-Point Arithmetic, ACM Computing
  Surveys, 1991.
- scikit-learn documentation: Imputation of missing values.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.signs.data import inputs_not_finite
from traindx.signs.gradients import gradient_norm_grows
from traindx.signs.loss import loss_diverges
from traindx.signs.nonfinite import (
    fails_without_warning,
    gradient_not_finite,
    loss_climbs_before_failure,
    loss_not_finite,
    loss_scale_collapses,
    nonfinite_from_layers,
    nonfinite_from_loss,
    precision_is_half,
)
from traindx.signs.spikes import spikes_recur
from traindx.signs.targets import targets_not_finite

CAUSE = Cause(
    slug="non-finite-inputs",
    title="NaN or infinity in the data",
    prior=-4.45,
    clues=(
        Clue(nonfinite_from_layers, seen=-1.50),
        Clue(nonfinite_from_loss, seen=-2.00),
        Clue(targets_not_finite, seen=+8.00, unseen=-1.00, group="bad data"),
        Clue(inputs_not_finite, seen=+5.76, unseen=-4.01, group="bad data"),
        Clue(loss_not_finite, seen=+3.30, unseen=-4.01, group="broken"),
        Clue(gradient_not_finite, seen=+2.00, group="broken"),
        Clue(fails_without_warning, seen=+1.83, unseen=-1.49),
        Clue(loss_climbs_before_failure, seen=-2.00),
        Clue(precision_is_half, seen=-0.84),
        Clue(loss_scale_collapses, seen=-1.50),
        Clue(gradient_norm_grows, seen=-1.00),
        Clue(spikes_recur, seen=-0.50),
        Clue(loss_diverges, seen=-1.00),
    ),
    fixes=(
        Prescription(
            title="Scan all data as the network gets it, and repair or drop what is not finite",
            expect="the scan names the examples; without them the loss stays finite past the old step",
            safety=Safety.MANUAL,
            not_when="the scan finds nothing: then the NaN is made inside the network or the loss",
            before="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)  # as it came from the file""",
            code="""\
keep = []
for index in range(len(train_data)):
    x, y = train_data[index]
    bad = [int((~torch.isfinite(torch.as_tensor(value))).sum()) for value in (x, y)]
    if any(bad):
        print(f"example {index}: {bad[0]} bad values in the input, {bad[1]} in the target")
    else:
        keep.append(index)
train_loader = DataLoader(Subset(train_data, keep), batch_size=64, shuffle=True)""",
        ),
        Prescription(
            title="Impute missing values and tell the network which ones were missing",
            expect="the loss stays finite, and the incomplete rows still count",
            safety=Safety.MANUAL,
            not_when="your own preprocessing makes the bad values: repair the division or logarithm there",
            code="""\
missing = ~torch.isfinite(x)
median = x.masked_fill(missing, float("nan")).nanmedian(dim=0).values
x = torch.where(missing, median, x)
x = torch.cat([x, missing.float()], dim=1)""",
            change="inputs.replace_nonfinite",
        ),
        Prescription(
            title="Guard the normalisation against columns and clips that do not vary",
            expect="no more infinities from a division by zero; other columns are unchanged",
            safety=Safety.SAFE,
            not_when="the raw data itself holds the NaN",
            code="""\
mean, std = train_x.mean(dim=0), train_x.std(dim=0)
print("columns that do not vary:", (std < 1e-6).nonzero().flatten().tolist())
x = (x - mean) / std.clamp_min(1e-6)""",
            change="inputs.standardize",
        ),
        Prescription(
            title="Skip a batch whose loss is not finite, count it, and stop when the count grows",
            expect="the training survives, and the count says how much of the data is bad",
            safety=Safety.ASK,
            not_when="more than a few batches are hit: skipping then hides a fault of the data or the model",
            code="""\
for x, y in train_loader:
    loss = loss_fn(model(x), y)
    if not torch.isfinite(loss):
        skipped += 1
        assert skipped <= 10, "the data holds many bad batches"
        continue
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()""",
            change="gradients.skip_nonfinite",
        ),
    ),
    experiment=Experiment(
        does="Fetch the batch of the first NaN step again (same seed) and check it with torch.isfinite",
        if_true="an input or a target is NaN or infinite",
        if_false="the batch is finite: the NaN is made in the network, the loss or the number format",
        minutes=3,
    ),
    page=__doc__,
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.NOT_FINITE,),
    misdiagnoses=(
        Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),
        Misdiagnosis(says="My gradients explode", blames="the gradients"),
    ),
    places=(facts.LOADER_PLACE,),
)
