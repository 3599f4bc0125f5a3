"""Half-precision overflow.

## What happens
float16 holds numbers up to 65,504 and down to about 6e-8; `exp(11.1)` is already infinite. Large
activations, attention scores, sums over many elements and squared errors pass the upper end, small
gradients fall below the lower one. A loss scaler multiplies the loss (by 65,536 at first) to lift
gradients, halves the factor after each overflow and leaves that step out. This cures overflow that the
factor made. Where the forward pass itself overflows, no factor is small enough: the scale is halved down to
1 and below, and step after step is skipped. Without a scaler, inf becomes NaN by `inf - inf` or `0 * inf`,
and NaN reaches all weights in one update. In pure float16 even the optimizer breaks: Adam's `eps` of 1e-8
rounds to zero, and zero is divided by zero. bfloat16 has the range of float32 and fewer digits; it does not
overflow there.

## What you see
A loss that falls as it should and is NaN or inf from one record to the next, with an ordinary gradient norm
before it; or a gradient norm of inf and NaN while the printed loss is 0.0 or repeats itself, because the
trainer hides it. The loss scale goes down like a staircase, halving again and again, and does not recover;
the count of skipped steps grows; the loss stands still because nothing is updated. It often comes late,
when activations have grown. A few skipped steps at the start, and one every two thousand or so, are how a
scaler works and are no illness.

## Often confused with
- `unstable-loss-function`: it fails in float32 too, at the same expression.
- `exploding-gradients`: the gradient norm climbs for many steps before, in float32 too.
- `lr-too-high`: the loss climbs before it fails, and a lower rate in float16 trains.
- `non-finite-inputs`: one batch holds NaN or inf, and it fails in float32 with that batch.
- `input-outliers`: float32 survives it with a spike at the same batch.
- `loss-sign-or-reduction`: a loss summed over the batch passes 65,504; its mean is far below.
- `attention-logit-growth`: bfloat16 or float32 only delay it; the logits grow without end.

## What not to do
- Skipping NaN batches: the overflow sits in the weights or activations, not in the batch, and soon all are
  skipped.
- Raising or fixing the loss scale: a larger factor overflows sooner, a fixed one cannot step back.
- Setting NaN to zero with nan_to_num: the update is wrong, and nobody sees it.
- Casting the whole model with `model.half()`: weights, updates and sums need float32; autocast keeps them
  there.
- Clipping scaled gradients: without `scaler.unscale_(optimizer)` the limit is off by the scale.
- Lowering the rate first: the numbers are too large for the format, not the steps for the surface.

## References
- Micikevicius and others: Mixed Precision Training, 2018.
- Kalamkar and others: A Study of BFLOAT16 for Deep Learning Training, 2019.
- PyTorch documentation: Automatic Mixed Precision package, torch.amp.
- Higham: Accuracy and Stability of Numerical Algorithms, 2002.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
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

CAUSE = Cause(
    slug="half-precision-overflow",
    title="Numbers overflow in half precision",
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
            title="Use bfloat16 instead of float16, without a scaler",
            expect="the run passes the step where it failed, and no step is skipped",
            safety=Safety.ASK,
            not_when="the device has no bfloat16 (GPUs before Ampere), or digits matter more than range",
            before="""\
with torch.autocast(device_type="cuda", dtype=torch.float16):
    loss = loss_fn(model(x), y)
optimizer.zero_grad()
loss.backward()  # no GradScaler, and nothing above 65,504
optimizer.step()""",
            code="""\
with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
    loss = loss_fn(model(x), y)
optimizer.zero_grad()
loss.backward()  # no GradScaler: gradients do not fall below bfloat16's range
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
optimizer.step()""",
            change="precision.use bfloat16",
        ),
        Prescription(
            title="Compute the loss and other wide sums in float32",
            expect="no overflow for 1,000 steps past the old failure, at nearly the same speed",
            safety=Safety.MANUAL,
            not_when="the overflow begins in a hidden layer: then that layer has to leave half precision",
            code="""\
with torch.autocast(device_type="cuda", dtype=torch.float16):
    output = model(x)
with torch.autocast(device_type="cuda", enabled=False):
    loss = loss_fn(output.float(), y)""",
        ),
        Prescription(
            title="Use a scaler, unscale before clipping, and watch the scale",
            expect="the scale settles above 1,000, and skipped steps become as rare as one in a thousand",
            safety=Safety.ASK,
            not_when="the scale goes below 1 all the same: then the forward pass itself overflows",
            code="""\
scaler = torch.amp.GradScaler("cuda")  # once, before the loop; model in float32, not model.half()
with torch.autocast(device_type="cuda", dtype=torch.float16):
    loss = loss_fn(model(x), y)
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
scaler.step(optimizer)
scaler.update()
print("loss scale", scaler.get_scale())""",
        ),
        Prescription(
            title="Train in float32",
            expect="the run passes the step where it failed; a step takes up to twice the time and memory",
            safety=Safety.ASK,
            not_when="the memory does not allow it, or float32 fails too: then it is another cause",
            code="""\
with torch.autocast(device_type="cuda", enabled=False):
    loss = loss_fn(model.float()(x.float()), y)
loss.backward()
optimizer.step()""",
            change="precision.use float32",
        ),
    ),
    experiment=Experiment(
        does="Load the last checkpoint before the failure and run the same batches in float32",
        if_true="the batches pass, with activations or gradients above 65,504 or a loss as before",
        if_false="it fails in float32 at the same place",
        minutes=5,
    ),
    page=__doc__,
    symptoms=(Symptom.NOT_FINITE, Symptom.PLATEAU),
    misdiagnoses=(
        Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),
        Misdiagnosis(says="There is a bad batch in my data", blames="the data"),
    ),
    places=(facts.LOSS_PLACE, facts.BACKWARD_PLACE),
)
