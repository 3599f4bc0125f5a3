"""Numerically unstable loss function.

The loss, or an expression before it, is correct on paper but overflows or is undefined in floating point.

## What happens
`log(0)` is minus infinity and `0 * log(0)` is NaN. `exp(x)` is infinite in float32 for `x` above 88.7.
Dividing by a sum or a variance of zero gives NaN or infinity. The slope of `sqrt` is infinite at zero, so
with a norm or std written by hand the loss is fine and the gradient is NaN; `torch.linalg.norm` has gradient
0 there. The output of a softmax or sigmoid is exactly 0 or 1 once the logits are far enough apart: in
float32 `1 - sigmoid(x)` is 0 for `x` above 17, and `log` of it is minus infinity. A predicted variance may go
to zero and the likelihood to infinity. `torch.where` does not help afterward: both branches get a gradient,
and `0 * inf` is NaN. One NaN in the loss reaches every weight with the next step.

## What you see
A loss that falls as it should, then NaN, inf or minus infinity from one step to the next: no climb, no
growing gradient, no spike before it. It typically happens late, when the model is good and its
probabilities reach 0 or 1; or, with a predicted variance, after the loss fell without a floor. Another seed
fails at another step but at about the same loss. With a clamp in the expression it does not fail but jumps
to the same height each time: 16.1 is `-log(1e-7)`, 18.4 is `-log(1e-8)`, 100 is the limit inside PyTorch's
BCELoss.

## Often confused with
- `half-precision-overflow`: float32 passes; here it fails in float32 as well.
- `non-finite-inputs`: it fails whenever a certain batch comes, in the first epoch too.
- `exploding-gradients`: the gradient norm rises over several steps before the failure.
- `lr-too-high`: the loss climbs before the failure, and lr/10 prevents it instead of delaying it.
- `labels-out-of-range`: it fails or jumps at batches that contain a certain label.
- `wrong-output-activation`: the loss is finite, but the outputs do not have the range the loss expects.
- `loss-sign-or-reduction`: the loss goes to minus infinity smoothly, because its sign is wrong.

## What not to do
- Clip the gradients: a NaN norm makes every gradient NaN.
- Skip the batches that give NaN: those are the best-fitted ones, and soon all batches are skipped.
- Lower the learning rate: the same point is reached, only later.
- Add 1e-12 in half precision, or to a number near 1 in float32: it is rounded away.
- Mask the NaN with `torch.where` or `nan_to_num`: the gradient of the hidden branch is still NaN.
- Leave `set_detect_anomaly` on: it is needed once, and makes every step much slower.

## References
- Goldberg: What Every Computer Scientist Should Know About Floating-Point Arithmetic, 1991.
- Higham: Accuracy and Stability of Numerical Algorithms, 2002.
- Goodfellow, Bengio, Courville: Deep Learning, 2016, section 4.1, overflow and underflow.
- Blanchard, Higham, Higham: Accurately Computing the Log-Sum-Exp and Softmax Functions, 2021.
- PyTorch documentation: `BCEWithLogitsLoss`, and `torch.autograd.set_detect_anomaly`.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.objective import Area
from traindx.signs.data import inputs_not_finite
from traindx.signs.gradients import gradient_norm_grows
from traindx.signs.nonfinite import (
    fails_in_first_steps,
    fails_without_warning,
    fp16_overflow,
    gradient_not_finite,
    loss_climbs_before_failure,
    loss_not_finite,
    loss_scale_collapses,
    nonfinite_from_layers,
    nonfinite_from_loss,
    precision_is_half,
    steps_overflow,
)
from traindx.signs.targets import targets_not_finite

CAUSE = Cause(
    slug="unstable-loss-function",
    area=Area.NUMERICS,
    title="Numerically unstable loss function",
    prior=-4.77,
    clues=(
        Clue(nonfinite_from_layers, seen=-1.50),
        Clue(targets_not_finite, seen=-4.00),
        Clue(inputs_not_finite, seen=-5.00),
        Clue(fp16_overflow, seen=-3.00),
        Clue(nonfinite_from_loss, seen=+5.94, unseen=-1.52),
        Clue(fails_without_warning, seen=+2.41, unseen=-1.56),
        Clue(loss_not_finite, seen=+2.84, unseen=-1.03),
        Clue(gradient_not_finite, seen=+0.39),
        Clue(loss_climbs_before_failure, seen=-1.52),
        Clue(fails_in_first_steps, seen=-0.50),
        Clue(gradient_norm_grows, seen=-1.01),
        Clue(precision_is_half, seen=-1.01),
        Clue(loss_scale_collapses, seen=-2.00, group="overflow"),
        Clue(steps_overflow, seen=-2.00, group="overflow"),
    ),
    fixes=(
        Prescription(
            title="Pass logits to the fused loss instead of taking a log",
            expect="the curve is the same up to the old failure and continues past it",
            safety=Safety.MANUAL,
            not_when="the model ends in a sigmoid or softmax: remove it first, or it is applied twice",
            before="""\
p = torch.sigmoid(logits)
loss = -(targets * torch.log(p) + (1 - targets) * torch.log(1 - p)).mean()""",
            code="""\
loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, targets)""",
        ),
        Prescription(
            title="Clamp the inputs of log, sqrt and division at 1e-7",
            expect="no NaN for a whole run; the loss changes by less than its noise",
            safety=Safety.MANUAL,
            not_when="zero is a value that matters: then replace it before the log with torch.where",
            code="""\
entropy = -(p * torch.log(p.clamp_min(1e-7))).sum(-1)""",
            change="loss.stabilize",
            before="""\
entropy = -(p * torch.log(p)).sum(-1)""",
        ),
        Prescription(
            title="Bound a variance that the model predicts",
            expect="the loss has a floor, and the failure is gone",
            safety=Safety.MANUAL,
            not_when="the targets are far from unit scale (choose other limits), or no variance is predicted",
            code="""\
mean, log_variance = output.chunk(2, dim=-1)
log_variance = log_variance.clamp(-10.0, 10.0)
loss = 0.5 * (log_variance + (target - mean).square() * torch.exp(-log_variance)).mean()""",
            before="""\
mean, log_variance = output.chunk(2, dim=-1)
loss = 0.5 * (log_variance + (target - mean).square() * torch.exp(-log_variance)).mean()""",
        ),
        Prescription(
            title="Find the operation with set_detect_anomaly",
            expect="the error names the function whose backward gave NaN, and its line",
            safety=Safety.MANUAL,
            not_when="the step before the failure cannot be repeated",
            code="""\
with torch.autograd.set_detect_anomaly(True):  # from the last good checkpoint, for a few steps
    loss = loss_fn(model(x), y)
    assert torch.isfinite(loss), "the forward pass is not finite"
    loss.backward()""",
        ),
    ),
    experiment=Experiment(
        does="Repeat the failing step in float32 from the last good checkpoint, with set_detect_anomaly",
        if_true="inputs and weights are finite, and a log, exp, root, division or norm is named",
        if_false="the batch or the weights are not finite before the step, or it passes in float32",
        steps=1,
    ),
    page=__doc__,
    symptoms=(Symptom.NOT_FINITE, Symptom.UNSTABLE),
    misdiagnoses=(
        Misdiagnosis(says="My gradients explode", blames="the gradients"),
        Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),
    ),
    places=(facts.LOSS_PLACE,),
)
