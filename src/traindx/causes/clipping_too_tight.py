"""Gradient clipping too tight.

## What happens
Clipping by norm replaces `g` by `g * c / ||g||` where the norm is above the limit `c`. Meant for the rare
outlier, it changes the method when it acts on every step: with SGD each step then has the same length
`lr * c`, however far the minimum is. The progress is that of a rate lowered by `||g|| / c`, steps do not
become shorter on arrival, and batches with a large, important gradient count no more than the others. With
Adam a constant factor cancels, so tight clipping costs less there; what is lost is the difference between
steps.

Three ways into it without noticing: the limit of another model was copied; the loss is summed instead of
averaged, so norms are a batch size larger; or gradients are clipped while they are still multiplied with
the loss scale of float16 (65,536), before `unscale_`.

## What you see
A slow, even fall, nearly a straight line, as with a rate that is too low, and no spikes at all. The share
of clipped steps is near 100 % for most of the run. A gradient norm logged after clipping is a ruler line at
the limit; logged before, it lies above the limit at nearly every step, often by ten times and more.
Training at a higher limit falls faster from the first steps on. Being clipped in the first few hundred
steps and rarely later is normal.

## Often confused with
- `lr-too-low`: few steps are clipped; here a higher rate and a higher limit act the same.
- `exploding-gradients`: the norm before clipping grows along the run, and without clipping it breaks.
- `vanishing-gradients`: the norm before clipping is tiny, not large.
- `loss-sign-or-reduction`: the loss itself is a batch size too large, because it is summed.
- `accumulation-not-divided`: norms are larger by the number of accumulated parts; divided, few are clipped.
- `too-few-epochs`: the curve has a fast first stretch, and a higher limit does not change it.
- `batch-too-large`: there are few updates per epoch, and they are not clipped.

## What not to do
- Raising the rate and leaving the limit: it works until the norms fall below the limit, and then the rate
  is too high.
- Removing clipping from a recurrent network or a transformer for good: the rare outlier is why it was
  there.
- Clipping each layer by its own tight limit: layers then all move alike, and the direction of the step is
  lost.
- Logging only the norm after clipping: it shows the limit and hides the gradient.
- Comparing limits between runs with different losses or batch sizes: the limit has the unit of the
  gradient.

## References
- Pascanu, Mikolov, Bengio: On the Difficulty of Training Recurrent Neural Networks, 2013.
- Zhang, He, Sra, Jadbabaie: Why Gradient Clipping Accelerates Training, 2020.
- Seetharaman, Wichern, Pardo, Le Roux: AutoClip: Adaptive Gradient Clipping for Source Separation Networks,
  2020.
- Koloskova, Hendrikx, Stich: Revisiting Gradient Clipping: Stochastic Bias and Tight Convergence
  Guarantees, 2023.
- PyTorch documentation: Automatic Mixed Precision examples, "Working with Unscaled Gradients".
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.chance import little_learned
from traindx.signs.gradients import gradient_norm_grows, most_steps_clipped
from traindx.signs.loss import (
    loss_converged,
    loss_diverges,
    loss_falls_slowly,
    loss_flat_from_start,
    loss_still_falling,
)
from traindx.signs.lr import lr_below_typical
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.optimizer import optimizer_ill_fitting
from traindx.signs.spikes import spikes_recur
from traindx.signs.weights import updates_tiny

CAUSE = Cause(
    slug="clipping-too-tight",
    title="Gradient clipping too tight",
    prior=-5.44,
    clues=(
        Clue(lr_below_typical, seen=-1.54),
        Clue(optimizer_ill_fitting, seen=-2.04),
        Clue(little_learned, seen=+0.47, unseen=-0.82),
        Clue(updates_tiny, seen=+2.88),
        Clue(most_steps_clipped, seen=+3.69, unseen=-4.01),
        Clue(loss_falls_slowly, seen=+2.52),
        Clue(loss_still_falling, seen=+0.54),
        Clue(loss_flat_from_start, seen=+1.10),
        Clue(gradient_norm_grows, seen=-1.50),
        Clue(loss_diverges, seen=-2.00),
        Clue(loss_not_finite, seen=-2.50),
        Clue(loss_converged, seen=-1.00),
        Clue(spikes_recur, seen=-0.51),
    ),
    fixes=(
        Prescription(
            title="Set the limit from the recorded norms, at their 90th to 95th percentile",
            expect="5 % to 10 % of the steps are clipped, and the loss falls faster within 200 steps",
            safety=Safety.ASK,
            not_when="the norms grow along the run: then the limit is what holds the run together",
            before="""\
for x, y in loader:
    optimizer.zero_grad()
    loss_fn(model(x), y).backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.01)  # a copied limit
    optimizer.step()""",
            code="""\
from torch.nn.utils import clip_grad_norm_

norms = []
for x, y in loader:  # an infinite limit measures and clips nothing
    optimizer.zero_grad()
    loss_fn(model(x), y).backward()
    norms.append(clip_grad_norm_(model.parameters(), max_norm=float("inf")).item())
    optimizer.step()
limit = float(torch.tensor(norms).quantile(0.95))  # max_norm from now on""",
            change="gradients.clip x 10",
        ),
        Prescription(
            title="Unscale before clipping, and clip once per update",
            expect="the norm falls by the loss scale (65,536 at first), and few steps are still clipped",
            safety=Safety.MANUAL,
            not_when="the run uses no loss scaler and accumulates no gradients",
            code="""\
scaler.scale(loss / accumulation).backward()
if (step + 1) % accumulation == 0:
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=limit)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()""",
        ),
        Prescription(
            title="Train without clipping for a short trial, and keep it off if norms stay even",
            expect="the loss falls faster from the first 100 steps on, without a spike",
            safety=Safety.ASK,
            not_when="the network is recurrent or the loss has spiked before",
            code="""\
loss.backward()
gradients = [p.grad for p in model.parameters() if p.grad is not None]
norm = torch.nn.utils.get_total_norm(gradients)  # log it, do not clip
optimizer.step()
optimizer.zero_grad()""",
            change="gradients.clip none",
        ),
    ),
    experiment=Experiment(
        does="Repeat the first 300 steps with the same seed and rate and a ten times higher limit",
        if_true="the loss falls clearly faster and stays calm",
        if_false="the curve is the same (few steps were clipped, or Adam cancels it), or it becomes unstable",
        minutes=5,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.SLOW, Symptom.NOT_LEARNING),
    misdiagnoses=(
        Misdiagnosis(says="My learning rate is too low", blames="the learning rate"),
        Misdiagnosis(says="I need more epochs", blames="too little training"),
    ),
    places=(facts.CLIP_PLACE, facts.STEP_PLACE),
)
