"""Numerically unstable loss function.

## What happens
The loss, or an expression on the way to it, is right on paper and undefined in floating point. `log(0)` is
minus infinity and `0 * log(0)` is NaN. `exp(x)` is infinite in float32 from 88.7 on. `x / x.sum()` and a
variance near zero divide by nothing. The slope of `sqrt` and of a norm is infinite at zero, so the loss is
fine and the gradient is not. A softmax or sigmoid followed by a separate `log` underflows to exactly 0 as
soon as the logits are far enough apart. A variance that the model predicts may go to zero and the
likelihood to infinity. `torch.where` does not help afterwards: both branches get a gradient, and `0 * inf`
is NaN. One NaN in the loss is in every weight after the next step.

## What you see
A loss that falls as it should, then NaN, inf or minus infinity from one step to the next: no climb, no
growing gradient, no spike before it. Typically late, when the model has become good and its probabilities
touch 0 or 1; or, when a predicted variance is to blame, after the loss went down without end. Another seed
fails at another step and at about the same loss. With a clamp in the expression it does not fail but jumps
to the same height each time: 16.1 is `-log(1e-7)`, 18.4 is `-log(1e-8)`, 100 is the limit inside PyTorch's
BCELoss.

## Often confused with
- `half-precision-overflow`: float32 passes; here it fails in float32 as well.
- `non-finite-inputs`: it fails whenever a certain batch comes, in the first epoch too.
- `exploding-gradients`: the gradient norm rises over several steps before the failure.
- `lr-too-high`: the loss climbs before the failure, and a ten times lower rate does not just delay it.
- `labels-out-of-range`: it fails or jumps at batches that hold a certain label.
- `wrong-output-activation`: the loss is finite, but the outputs do not have the range the loss expects.
- `loss-sign-or-reduction`: the loss goes to minus infinity evenly, as it is told to.

## What not to do
- Clipping the gradients: NaN divided by NaN stays NaN.
- Skipping the batches that give NaN: it is the best-fitted batches that are skipped, and soon all of them
  are.
- Lowering the rate: the same point is reached, only later.
- Adding 1e-12 inside a log in half precision or next to 1.0: it is rounded away; 1e-7 is float32's step at
  1.
- Masking the result with torch.where or nan_to_num: the gradient of the hidden branch is still NaN.
- Leaving set_detect_anomaly on for good: it finds the operation once, and slows each step several times.

## References
- Goldberg: What Every Computer Scientist Should Know About Floating-Point Arithmetic, 1991.
- Higham: Accuracy and Stability of Numerical Algorithms, 2002.
- Goodfellow, Bengio, Courville: Deep Learning, 2016, section 4.1, overflow and underflow.
- Blanchard, Higham, Higham: Accurately Computing the Log-Sum-Exp and Softmax Functions, 2021.
- PyTorch documentation: BCEWithLogitsLoss, and torch.autograd.set_detect_anomaly.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
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
            title="Give logits to the fused loss instead of probabilities to a log",
            expect="the curve is the same up to the old failure and goes on past it, with no NaN",
            safety=Safety.MANUAL,
            not_when="the model still ends in a sigmoid or softmax: remove it first, or it is applied twice",
            before="""\
p = torch.sigmoid(logits)
loss = -(targets * torch.log(p) + (1 - targets) * torch.log(1 - p)).mean()
loss = torch.nn.functional.nll_loss(torch.log(torch.softmax(class_logits, dim=-1)), labels)
log_total = torch.log(torch.exp(class_logits).sum(-1))""",
            code="""\
import torch.nn.functional as F

loss = F.binary_cross_entropy_with_logits(logits, targets)
loss = F.cross_entropy(class_logits, labels)
log_total = torch.logsumexp(class_logits, dim=-1)""",
        ),
        Prescription(
            title="Keep the argument of log, sqrt and division away from zero, before the operation",
            expect="no NaN for a whole run; the loss changes by less than its noise",
            safety=Safety.MANUAL,
            not_when="zero is a value that matters: then use xlogy or mask the elements before the operation",
            code="""\
eps = 1e-6
entropy = -torch.special.xlogy(p, p.clamp_min(eps)).sum(-1)
distance = (a - b).square().sum(-1).add(eps).sqrt()  # inside the root: its slope stays finite
cosine = torch.nn.functional.cosine_similarity(a, b, eps=eps)
ratio = a / b.abs().clamp_min(eps)""",
            change="loss.stabilize",
        ),
        Prescription(
            title="Bound a variance that the model predicts",
            expect="the loss no longer falls without end, and the failure is gone",
            safety=Safety.MANUAL,
            not_when="the model predicts no variance or precision",
            code="""\
mean, raw = output.chunk(2, dim=-1)
log_variance = raw.clamp(-10.0, 10.0)
loss = 0.5 * (log_variance + (target - mean).square() * torch.exp(-log_variance)).mean()""",
        ),
        Prescription(
            title="Let PyTorch name the operation",
            expect="an error that names the function whose backward gave NaN, and the line that called it",
            safety=Safety.SAFE,
            not_when="the step before the failure cannot be repeated",
            code="""\
with torch.autograd.set_detect_anomaly(True):  # from the last good checkpoint, for a few steps
    loss = loss_fn(model(x), y)
    assert torch.isfinite(loss), "the forward pass gives it"
    loss.backward()""",
        ),
    ),
    experiment=Experiment(
        does="Repeat the failing step in float32 from the last good checkpoint, under set_detect_anomaly",
        if_true="inputs and weights are finite, and a log, exp, root, division or norm is named",
        if_false="the batch or the weights are not finite before the step, or the step passes in float32",
        minutes=5,
    ),
    page=__doc__,
    symptoms=(Symptom.NOT_FINITE, Symptom.UNSTABLE),
    misdiagnoses=(
        Misdiagnosis(says="My gradients explode", blames="the gradients"),
        Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),
    ),
    places=(facts.LOSS_PLACE,),
)
