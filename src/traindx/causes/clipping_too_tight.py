"""Gradient clipping too tight.

The clipping limit is so far below the typical gradient norm that nearly every step is clipped.

## What happens
Clipping by norm replaces `g` by `g * c / ||g||` if the norm is above the limit `c`. It is meant for rare
outliers. If it acts on every step, it changes the method: with SGD each step has the same length `lr * c`,
however far the minimum is. Progress is that of a learning rate divided by `||g|| / c`, steps do not shrink
near a minimum, and batches with a large, important gradient count no more than others. With Adam a constant
factor cancels, so tight clipping costs less; only the differences between steps are lost.

Three common reasons: the limit was copied from another model; the loss is summed instead of averaged, so
norms are larger by the batch size; or gradients are clipped before `unscale_`, while they are still
multiplied by the float16 loss scale (65,536 at first).

## What you see
The loss falls slowly and evenly, nearly in a straight line and without spikes, as with a learning rate that
is too low. Nearly 100% of the steps are clipped for most of the run. A gradient norm logged after clipping
is flat at the limit; logged before, it is above the limit at nearly every step, often by 10x or more. With a
higher limit the loss falls faster from the first steps on. Clipping in the first few hundred steps and
rarely later is normal.

## Often confused with
- `lr-too-low`: few steps are clipped; here a higher learning rate and a higher limit have the same effect.
- `exploding-gradients`: the norm before clipping grows along the run, and without clipping the run breaks.
- `vanishing-gradients`: the norm before clipping is tiny, not large.
- `loss-sign-or-reduction`: the loss itself is too large by the batch size, because it is summed.
- `accumulation-not-divided`: the norm is larger by the number of accumulated batches, and few steps are
  clipped once the loss is divided.
- `too-few-epochs`: the loss falls fast at first, and a higher limit does not change that.
- `batch-too-large`: there are few steps per epoch, and they are not clipped.

## What not to do
- Raise the learning rate instead of the limit: once the norms fall below the limit, it is too high.
- Remove clipping from RNNs and transformers: it protects them from the rare outlier.
- Clip each layer at its own tight limit: all layers then move by the same amount, and the direction is lost.
- Log only the norm after clipping: it shows the limit and hides the gradient.
- Reuse a limit across losses or batch sizes: it has the unit of the gradient.

## References
- Pascanu, Mikolov, Bengio: On the Difficulty of Training Recurrent Neural Networks, 2013.
- Zhang, He, Sra, Jadbabaie: Why Gradient Clipping Accelerates Training, 2020.
- Seetharaman, Wichern, Pardo, Le Roux: AutoClip: Adaptive Gradient Clipping for Source Separation Networks,
  2020.
- Koloskova, Hendrikx, Stich: Revisiting Gradient Clipping: Stochastic Bias and Tight Convergence Guarantees,
  2023.
- PyTorch documentation: Automatic Mixed Precision examples, "Working with Unscaled Gradients".
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import is_recording
from traindx.objective import Area
from traindx.quantities import ATTENTION_LOGIT_RANGE, LOSS_SCALE
from traindx.run import Run
from traindx.signs.activations import model_is_recurrent
from traindx.signs.chance_level import little_learned
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
from traindx.signs.spikes import loss_spikes, spikes_recur
from traindx.signs.weights import updates_tiny


def _has_no_scaler(run: Run) -> bool:
    return is_recording(run) and LOSS_SCALE not in run


def _has_attention(run: Run) -> bool:
    return ATTENTION_LOGIT_RANGE in run or any("Attention" in layer.kind for layer in run.model)


CAUSE = Cause(
    slug="clipping-too-tight",
    area=Area.NUMERICS,
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
            title="Raise the clipping limit above most gradient norms",
            expect="few steps are clipped, and the loss falls faster within 200 steps",
            safety=Safety.ASK,
            not_when="the gradient norm grows during the run: the limit keeps the run stable",
            before="""\
loss.backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.01)
optimizer.step()""",
            code="""\
loss.backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.1)  # aim at the 95th percentile of the norms
optimizer.step()""",
            change="gradients.clip x 10",
            unless=(gradient_norm_grows,),
        ),
        Prescription(
            title="Call scaler.unscale_() before clipping",
            expect="the gradient norm falls by the loss scale (65,536 at first)",
            safety=Safety.MANUAL,
            not_when="the run uses no loss scaler",
            before="""\
scaler.scale(loss).backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=limit)
scaler.step(optimizer)
scaler.update()""",
            code="""\
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=limit)
scaler.step(optimizer)
scaler.update()""",
            unless=(_has_no_scaler,),
        ),
        Prescription(
            title="Remove clipping, and keep it off if the norm stays level",
            expect="the loss falls faster within 100 steps, without a spike",
            safety=Safety.ASK,
            not_when="the model is recurrent or a transformer, or the loss has spiked before",
            before="""\
loss.backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=0.01)
optimizer.step()""",
            code="""\
loss.backward()
optimizer.step()""",
            change="gradients.clip none",
            unless=(model_is_recurrent, _has_attention, loss_spikes, spikes_recur),
        ),
    ),
    experiment=Experiment(
        does="Repeat the first 300 steps with 10x the clipping limit, same seed and learning rate",
        if_true="the loss falls clearly faster and stays stable",
        if_false="the curve is the same, or it becomes unstable",
        steps=300,
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
