"""Non-finite inputs.

A NaN or an infinity enters the run with the data.

## What happens
Sources: a missing cell in a table, a division by an empty count or a zero std, the logarithm
of 0, a corrupt file, a silent audio clip that was normalized, a number too large for float16. One such
value makes the output and the loss of its batch NaN, the backward pass spreads it to the gradients, and one
optimizer step makes the weights NaN. From then on nothing is finite, whatever the input.

A mask applied by multiplication does not help, because 0 times NaN is NaN.

## What you see
The loss is normal, then NaN from one step to the next and for good, without a climb or a growing gradient
norm before it. It happens when the bad sample is first used: in the first epoch, or later if augmentation
or a rare feature creates the value. Without shuffling it is the same step in each run; with another seed it
is another step. If the loss scaler or a check skips such steps, the curve is good except for single NaN
steps; batch normalization still keeps the NaN in its running statistics, so eval mode outputs NaN. If the
bad value is in the validation set, only the validation loss is NaN.

## Often confused with
- `exploding-gradients`: the loss or the gradient norm climbs for some steps before the NaN.
- `lr-too-high`: the loss rises or oscillates before the NaN, and lr/10 survives the same batch.
- `unstable-loss-function`: every input is finite, and the first NaN appears in a log, division, root or exp
  of the loss.
- `half-precision-overflow`: the same batch is finite in float32.
- `labels-out-of-range`: the inputs are finite, but a target is outside the range the loss accepts.
- `input-outliers`: the values are huge but finite, so the loss spikes first.

## What not to do
- Lower the learning rate: the same sample produces the same NaN.
- Clip the gradients: the norm of a NaN gradient is NaN, and clipping by it makes all of them NaN.
- Apply nan_to_num to the loss: the gradient may still be NaN, and the bad sample stays.
- Resume from a checkpoint made after the NaN: its weights are NaN.
- Leave detect_anomaly on: it names the operation but slows training several times; use it for one batch.
- Fill gaps with 0 before standardizing: 0 may be a meaningful value and shifts the mean; after
  standardizing, 0 is the mean of its column.

## References
- PyTorch documentation: torch.autograd.detect_anomaly; torch.isfinite.
- Goldberg: What Every Computer Scientist Should Know About Floating-Point Arithmetic, ACM Computing
  Surveys, 1991.
- scikit-learn documentation: Imputation of missing values.
"""

from typing import Annotated

import numpy as np

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.facts import batches_per_epoch, normalizes_over_batch, stated_word
from traindx.curves.series import whole
from traindx.facts import NONFINITE_SOURCE
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, sign
from traindx.format import number
from traindx.objective import Area
from traindx.quantities import EPOCH, TRAIN_LOSS, VAL_LOSS
from traindx.run import Axis, Run
from traindx.signs.data import inputs_not_finite
from traindx.signs.gradients import gradient_norm_grows
from traindx.signs.loss import loss_diverges
from traindx.signs.nonfinite import (
    fails_without_warning,
    gradient_not_finite,
    loss_climbs_before_failure,
    loss_never_finite,
    loss_not_finite,
    loss_scale_collapses,
    nonfinite_from_layers,
    nonfinite_from_loss,
    precision_is_half,
)
from traindx.signs.spikes import spikes_recur
from traindx.signs.targets import targets_not_finite

_CLEAN = 2.0
"""Passes over the data that must be clean before a failure; bench/thresholds.md#clean-epochs."""


@sign(needs=((TRAIN_LOSS, VAL_LOSS),))
def fails_after_clean_epochs(
    run: Run,
    *,
    epochs: Annotated[float, "passes over the data before it; bench/thresholds.md#clean-epochs"] = _CLEAN,
) -> Answer:
    """Loss becomes NaN or infinite after whole epochs on the same data."""
    series = whole(run, TRAIN_LOSS if TRAIN_LOSS in run else VAL_LOSS)
    bad = series.first_bad_step
    if bad is None:
        return CANNOT_TELL
    each = 1.0 if series.axis is Axis.EPOCH else batches_per_epoch(run)
    if EPOCH in run and series.axis is Axis.STEP:
        counted = whole(run, EPOCH).finite
        passed = float(np.interp(bad, counted.steps, counted.values)) if len(counted) else 0.0
    elif each is None:
        return CANNOT_TELL
    else:
        passed = (bad - float(series.steps[0])) / each
    if passed < epochs:
        return None
    says = f"the same data was seen for {number(passed)} epochs before the first NaN or infinite loss"
    return Finding(1.0, says, (Evidence(series.quantity, (bad, bad), passed, epochs, series.axis),))


def _comes_from_targets(run: Run) -> bool:
    return stated_word(run, NONFINITE_SOURCE).startswith("target")


CAUSE = Cause(
    slug="non-finite-inputs",
    area=Area.INPUTS,
    title="NaN or infinity in the data",
    prior=-4.45,
    clues=(
        Clue(fails_after_clean_epochs, seen=-2.00),
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
            title="Find and drop the samples that are not finite",
            expect="the loss stays finite past the step that failed",
            safety=Safety.MANUAL,
            not_when="the scan finds nothing: then the NaN arises in the network or the loss",
            before="""\
train_loader = DataLoader(train_data, batch_size=64, shuffle=True)""",
            code="""\
keep = []
for index, (x, y) in enumerate(train_data):
    if torch.isfinite(x).all() and torch.isfinite(torch.as_tensor(y)).all():
        keep.append(index)
    else:
        print(f"sample {index} is not finite")
train_loader = DataLoader(Subset(train_data, keep), batch_size=64, shuffle=True)""",
        ),
        Prescription(
            title="Replace missing inputs with 0 after standardizing",
            expect="the loss stays finite, and incomplete rows still count",
            safety=Safety.MANUAL,
            not_when="the NaN is from the targets or your preprocessing, or columns are not standardized",
            before="""\
train_data = TensorDataset(train_x, train_y)  # standardized with numpy's nanmean and nanstd""",
            code="""\
train_x = torch.nan_to_num(train_x, nan=0.0, posinf=0.0, neginf=0.0)  # 0 is the mean of each column
train_data = TensorDataset(train_x, train_y)  # standardized with numpy's nanmean and nanstd""",
            change="inputs.replace_nonfinite",
            unless=(_comes_from_targets,),
        ),
        Prescription(
            title="Clamp the std before you divide by it",
            expect="constant features are about 0, not NaN or infinite; other features are unchanged",
            safety=Safety.MANUAL,
            not_when="the raw data or the targets contain the NaN, or a feature's true std is below 1e-6",
            before="""\
mean, std = train_x.mean(dim=0), train_x.std(dim=0)
train_x = (train_x - mean) / std""",
            code="""\
mean, std = train_x.mean(dim=0), train_x.std(dim=0).clamp_min(1e-6)
train_x = (train_x - mean) / std""",
            unless=(_comes_from_targets,),
        ),
        Prescription(
            title="Skip batches whose loss is not finite, and count them",
            expect="the run survives, and the count shows how much data is bad",
            safety=Safety.ASK,
            not_when="many batches are affected, or batch normalization keeps the NaN in its statistics",
            code="""\
skipped = 0
for x, y in train_loader:
    loss = loss_fn(model(x), y)
    if not torch.isfinite(loss):
        skipped += 1
        assert skipped <= 10, "too many bad batches"
        continue
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()""",
            change="gradients.skip_nonfinite",
            unless=(loss_never_finite, normalizes_over_batch),
            before="""\
for x, y in train_loader:
    loss = loss_fn(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()""",
        ),
    ),
    experiment=Experiment(
        does="Load the batch of the first NaN step again (same seed) and check it with torch.isfinite",
        if_true="an input or a target is NaN or infinite",
        if_false="the batch is finite: the NaN arises in the network, the loss or the number format",
        steps=0,
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
