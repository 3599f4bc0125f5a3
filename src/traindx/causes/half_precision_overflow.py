"""float16 overflow.

Values exceed 65,504, the largest float16 number, and become inf or NaN.

## What happens
float16 represents numbers up to 65,504 and down to about 6e-8; `exp(11.1)` is already inf. Large
activations, attention logits, sums over many elements and squared errors exceed the upper end, small
gradients fall below the lower end. A loss scaler multiplies the loss (by 65,536 at first) to lift small
gradients, halves the factor after each overflow and skips that step. This handles overflow caused by the
factor. If the forward pass itself overflows, no factor is small enough: the scale is halved down to 1 and
below, and step after step is skipped. Without a scaler, inf becomes NaN through `inf - inf` or `0 * inf`,
and NaN reaches all weights in one update. In pure float16 even the optimizer breaks: Adam's `eps` of 1e-8
rounds to 0, and 0 is divided by 0. bfloat16 has the range of float32 with fewer digits, so it does not
overflow there.

## What you see
The loss falls normally and is NaN or inf from one logged point to the next, with a normal gradient norm
before. Or the gradient norm is inf or NaN while the printed loss is 0.0 or repeats, because the trainer
hides it. The loss scale is halved again and again and does not recover, the number of skipped steps grows,
and the loss is flat because nothing is updated. It often comes late, after activations have grown. A few
skipped steps at the start, and one every 2,000 steps or so, are normal for a scaler.

## Often confused with
- `unstable-loss-function`: the run fails in float32 too, at the same expression.
- `exploding-gradients`: the gradient norm climbs for many steps before, in float32 too.
- `lr-too-high`: the loss climbs before it fails, and a lower learning rate trains in float16.
- `non-finite-inputs`: one batch contains NaN or inf, and float32 fails with that batch too.
- `input-outliers`: float32 survives with a spike at the same batch.
- `loss-sign-or-reduction`: a loss summed over the batch exceeds 65,504, and its mean is far below.
- `attention-logit-growth`: bfloat16 or float32 only delays it, and the attention logits keep growing.

## What not to do
- Skip NaN batches: the overflow is in the weights or activations, not in the batch, and soon all are
  skipped.
- Raise or fix the loss scale: a larger factor overflows sooner, a fixed one cannot back off.
- Replace NaN with 0 (`nan_to_num`): the update is wrong, and nothing shows it.
- Cast the whole model with `model.half()`: weights, updates and sums need float32; autocast keeps them
  there.
- Clip scaled gradients: without `scaler.unscale_(optimizer)` the limit is off by the loss scale.
- Lower the learning rate first: the values are too large for the format, not the steps for the loss surface.

## References
- Micikevicius and others: Mixed Precision Training, 2018.
- Kalamkar and others: A Study of BFLOAT16 for Deep Learning Training, 2019.
- PyTorch documentation: Automatic Mixed Precision package, torch.amp.
- Higham: Accuracy and Stability of Numerical Algorithms, 2002.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.objective import Area
from traindx.quantities import LOSS_SCALE
from traindx.run import Run
from traindx.signs.data import inputs_not_finite
from traindx.signs.gradients import gradient_norm_grows
from traindx.signs.loss import loss_diverges, loss_falls
from traindx.signs.nonfinite import (
    fails_in_first_steps,
    fails_without_warning,
    fp16_overflow,
    gradient_not_finite,
    loss_climbs_before_failure,
    loss_not_finite,
    loss_scale_collapses,
    precision_is_half,
    steps_overflow,
)


def _has_scaler(run: Run) -> bool:
    return LOSS_SCALE in run


CAUSE = Cause(
    slug="half-precision-overflow",
    area=Area.NUMERICS,
    title="float16 overflow",
    prior=-4.71,
    clues=(
        Clue(inputs_not_finite, seen=-3.21),
        Clue(fp16_overflow, seen=+6.21, unseen=-1.04),
        Clue(precision_is_half, seen=+2.51, unseen=-4.01),
        Clue(loss_scale_collapses, seen=+4.32, unseen=-1.00, group="overflow"),
        Clue(steps_overflow, seen=+3.50, unseen=-0.50, group="overflow"),
        Clue(fails_without_warning, seen=+1.86),
        Clue(loss_not_finite, seen=+1.27, unseen=-1.08, group="not finite"),
        Clue(gradient_not_finite, seen=+1.66, group="not finite"),
        Clue(loss_climbs_before_failure, seen=-1.50),
        Clue(gradient_norm_grows, seen=-0.50),
        Clue(loss_diverges, seen=-0.48),
        Clue(fails_in_first_steps, seen=+1.25),
        Clue(loss_falls, seen=-0.87),
    ),
    fixes=(
        Prescription(
            title="Use bfloat16 instead of float16",
            expect="the run passes the step at which it failed",
            safety=Safety.ASK,
            not_when="the GPU has no bfloat16 support (before Ampere), or digits matter more than range",
            before="""\
with torch.autocast(device_type="cuda", dtype=torch.float16):
    loss = loss_fn(model(x), y)
optimizer.zero_grad()
loss.backward()
optimizer.step()""",
            code="""\
with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
    loss = loss_fn(model(x), y)
optimizer.zero_grad()
loss.backward()
optimizer.step()""",
            change="precision.use bfloat16",
        ),
        Prescription(
            title="Compute the overflowing operation in float32",
            expect="no overflow for 1,000 steps past the old failure",
            safety=Safety.MANUAL,
            not_when="it is a built-in loss or softmax: autocast already computes those in float32",
            before="""\
with torch.autocast(device_type="cuda", dtype=torch.float16):
    features = model(x)
    similarity = features @ features.T / 0.01""",
            code="""\
with torch.autocast(device_type="cuda", dtype=torch.float16):
    features = model(x)
    with torch.autocast(device_type="cuda", enabled=False):
        similarity = features.float() @ features.float().T / 0.01""",
        ),
        Prescription(
            title="Scale the loss with torch.amp.GradScaler",
            expect="the loss scale settles above 1,000, and few steps are skipped",
            safety=Safety.ASK,
            not_when="a scaler is already in use: the forward pass itself overflows",
            before="""\
with torch.autocast(device_type="cuda", dtype=torch.float16):
    loss = loss_fn(model(x), y)
loss.backward()
optimizer.step()""",
            code="""\
scaler = torch.amp.GradScaler("cuda")  # once, before the loop
with torch.autocast(device_type="cuda", dtype=torch.float16):
    loss = loss_fn(model(x), y)
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()""",
            unless=(_has_scaler,),
        ),
        Prescription(
            title="Train in float32",
            expect="the run passes the step at which it failed, with longer steps and more memory",
            safety=Safety.ASK,
            not_when="memory does not allow it, or float32 fails too",
            before="""\
with torch.autocast(device_type="cuda", dtype=torch.float16):
    loss = loss_fn(model(x), y)""",
            code="""\
loss = loss_fn(model(x), y)""",
            change="precision.use float32",
        ),
    ),
    experiment=Experiment(
        does="Rerun 100 steps in float32 from the last checkpoint before the failure, with the same batches",
        if_true="the run passes the step at which it failed",
        if_false="the run fails in float32 at the same step",
        steps=100,
    ),
    page=__doc__,
    symptoms=(Symptom.NOT_FINITE, Symptom.PLATEAU),
    misdiagnoses=(
        Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),
        Misdiagnosis(says="There is a bad batch in my data", blames="the data"),
    ),
    places=(facts.LOSS_PLACE, facts.BACKWARD_PLACE),
)
