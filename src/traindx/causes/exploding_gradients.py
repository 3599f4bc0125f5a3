"""Exploding gradients.

Gradients grow by orders of magnitude on the way back through the network, until one step ruins the weights.

## What happens
On the way back through the network the gradient is multiplied by one Jacobian per layer, or per time step:
`J_n * ... * J_1`. If these factors stretch more than they shrink (largest singular values above 1), the
product grows exponentially with depth or sequence length, and the loss surface has cliffs. A step taken at a
cliff is as long as the cliff is steep, and throws the weights far away. In a recurrent network the same
matrix is multiplied by itself, so an eigenvalue of 1.1 becomes a factor of 14,000 over 100 time steps.

This is a mechanism. The root cause may be recurrence, too large initial weights, depth without
normalization, far too large inputs, or a learning rate that moved the weights there. Name it as the cause
only if a tenth of the learning rate still fails.

## What you see
The gradient norm rises by orders of magnitude, or in single spikes far above all earlier values, and the
loss follows with a jump, inf or NaN. The order matters: the norm moves first. Between the spikes the run can
look healthy. In recurrent networks it comes with longer sequences. A large norm that stays level is not
this: a norm of 500 from a summed loss may be normal. Compare with the earlier norms of the run, not with a
fixed number.

## Often confused with
- `lr-too-high`: gradients are normal until the weights have moved, and a tenth of the learning rate trains.
- `missing-warmup`: only the first few hundred steps are unstable, and a warm-up fixes them.
- `gradients-not-cleared`: the norm grows evenly from the first step, by about the same amount per step.
- `unstable-loss-function`: the norm is normal one step before the NaN.
- `half-precision-overflow`: the same steps pass in float32.
- `non-finite-inputs`: the batch itself contains a NaN, and the failure comes with that batch.
- `input-outliers`: single spikes at the same samples in each epoch, with a smooth loss in between.
- `bad-initialization`: the norm is huge at step 0, before any update, with inputs of mean 0 and std 1.
- `unnormalized-inputs`: the norm is huge at step 0 because the inputs are; with standardized inputs the run
  is stable.
- `unnormalized-targets`: a regression loss and its gradient norm are huge at step 0, while the outputs are
  near 0.
- `momentum-too-high`: the gradients are normal, and the sum of the past ones makes the step too long.
- `attention-logit-growth`: the attention logits of a transformer have grown for thousands of steps before
  the spike.

## What not to do
- Clip after the NaN: a NaN norm makes every clipped gradient NaN.
- Clip at 1.0 by default: a limit far below the typical norm of the run makes every step the same length.
- Clip scaled float16 gradients: call `scaler.unscale_(optimizer)` first, or the limit is off by the loss
  scale.
- Lower the learning rate by more than 10x: if a tenth does not help, an even lower one only delays the
  crash.
- Replace NaN gradients with 0: the weights are then the result of unknown updates.
- Shorten all sequences for good: truncated backpropagation keeps the data and cuts only the gradient.

## References
- Bengio, Simard, Frasconi: Learning Long-Term Dependencies with Gradient Descent Is Difficult, 1994.
- Pascanu, Mikolov, Bengio: On the Difficulty of Training Recurrent Neural Networks, 2013.
- Le, Jaitly, Hinton: A Simple Way to Initialize Recurrent Networks of Rectified Linear Units, 2015.
- Ba, Kiros, Hinton: Layer Normalization, 2016.
- Miyato, Kataoka, Koyama, Yoshida: Spectral Normalization for Generative Adversarial Networks, 2018.
- Zhang, He, Sra, Jadbabaie: Why Gradient Clipping Accelerates Training, 2020.
- Goodfellow, Bengio, Courville: Deep Learning, 2016, sections 8.2.4 and 10.11.
"""

from typing import Annotated

import numpy as np

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Kind, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.facts import stated_number
from traindx.finding import Answer, Severity, sign
from traindx.objective import Area
from traindx.quantities import GRADIENT_NORM
from traindx.run import Run
from traindx.signs.activations import (
    activations_swell_over_depth,
    model_is_deep_and_plain,
    model_is_recurrent,
    recurrent_without_gates,
)
from traindx.signs.chance_level import little_learned, starts_far_above_chance
from traindx.signs.data import inputs_not_finite
from traindx.signs.gradients import (
    gradient_norm_grows,
    gradient_over_depth,
    gradient_spikes_before_loss,
    gradient_starts_huge,
)
from traindx.signs.loss import loss_converged, loss_diverges, loss_flat_from_start
from traindx.signs.lr import lr_above_typical, lr_rise_hurts
from traindx.signs.nonfinite import (
    fails_without_warning,
    gradient_not_finite,
    loss_climbs_before_failure,
    loss_not_finite,
    nonfinite_from_layers,
    nonfinite_from_loss,
    precision_is_half,
)
from traindx.signs.spikes import loss_leaps_above_start, spikes_recur, spikes_without_large_updates
from traindx.signs.weights import updates_large


@sign(needs=(GRADIENT_NORM,), severity=Severity.WARNING)
def gradient_swells_over_depth(
    run: Run,
    *,
    decades: Annotated[float, "powers of ten from last to first layers; bench/thresholds.md#depth"] = 1.5,
    layers: Annotated[int, "fewest weight matrices; bench/thresholds.md#depth"] = 4,
) -> Answer:
    """Gradients that grow by orders of magnitude toward the first layers, relative to the weights."""
    return gradient_over_depth(run, decades, layers, grows=True)


_PERCENTILE = 95
"""Of the norms, where the first fix clips; bench/thresholds.md#clipped."""


def _clips_lower(run: Run) -> bool:
    """Whether the program clips already, and lower: the fix would only loosen that."""
    if GRADIENT_NORM not in run:
        return False
    limit, norms = stated_number(run, facts.GRADIENT_CLIP), run[GRADIENT_NORM].finite.values
    return limit is not None and len(norms) > 0 and limit <= float(np.percentile(norms, _PERCENTILE))


def _is_not_recurrent(run: Run) -> bool:
    return model_is_recurrent(run) is None


CAUSE = Cause(
    slug="exploding-gradients",
    area=Area.NUMERICS,
    title="Exploding gradients",
    prior=-3.94,
    clues=(
        Clue(starts_far_above_chance, seen=+1.05),
        Clue(little_learned, seen=+0.47, unseen=-0.98),
        Clue(lr_above_typical, seen=-1.02),
        Clue(model_is_deep_and_plain, seen=+1.68),
        Clue(recurrent_without_gates, seen=+1.86),
        Clue(spikes_without_large_updates, seen=+3.17, unseen=-0.83),
        Clue(gradient_starts_huge, seen=+2.98, unseen=-0.91),
        Clue(nonfinite_from_loss, seen=-1.51),
        Clue(inputs_not_finite, seen=-4.00),
        Clue(updates_large, seen=-0.58),
        Clue(activations_swell_over_depth, seen=+1.63),
        Clue(nonfinite_from_layers, seen=+0.62),
        Clue(model_is_recurrent, seen=+1.67),
        Clue(gradient_swells_over_depth, seen=+1.70),
        Clue(loss_leaps_above_start, seen=+1.77),
        Clue(gradient_norm_grows, seen=+1.98, unseen=-0.32),
        Clue(gradient_spikes_before_loss, seen=+3.47),
        Clue(gradient_not_finite, seen=+0.65),
        Clue(loss_climbs_before_failure, seen=+1.48),
        Clue(loss_not_finite, seen=+0.68),
        Clue(loss_diverges, seen=+1.52),
        Clue(spikes_recur, seen=+1.49),
        Clue(fails_without_warning, seen=-2.01),
        Clue(lr_rise_hurts, seen=-1.09),
        Clue(loss_converged, seen=-0.35),
        Clue(precision_is_half, seen=-0.30),
        Clue(loss_flat_from_start, seen=-0.95),
    ),
    fixes=(
        Prescription(
            title="Clip the gradient norm at its 95th percentile",
            expect="the loss passes the step at which it broke; about 5% of steps are clipped",
            safety=Safety.SAFE,
            not_when="the inputs contain NaN, or the norm is large at every step",
            before="""\
loss.backward()
optimizer.step()""",
            code="""\
loss.backward()
torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=limit)  # 95th percentile of healthy norms
optimizer.step()""",
            change="gradients.clip p95",
            unless=(inputs_not_finite, _clips_lower),
        ),
        Prescription(
            title="Divide the learning rate by 10 and restart",
            expect="the gradient norm stays within its early range",
            safety=Safety.ASK,
            not_when="the norm is huge at step 0, or a single batch causes the spike",
            before="""\
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)""",
            code="""\
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)""",
            change="optimizer.lr x 0.1",
            unless=(gradient_starts_huge,),
        ),
        Prescription(
            title="Replace the plain RNN with a GRU or LSTM",
            expect="the gradient norm no longer grows with the sequence length",
            safety=Safety.MANUAL,
            not_when="the network is not recurrent",
            before="""\
rnn = torch.nn.RNN(input_size, hidden_size, batch_first=True)""",
            code="""\
rnn = torch.nn.GRU(input_size, hidden_size, batch_first=True)""",
            unless=(_is_not_recurrent,),
        ),
        Prescription(
            title="Use He (Kaiming) initialization and zero biases",
            expect="the gradient norm at step 0 no longer grows toward the first layers",
            safety=Safety.ASK,
            not_when="the weights are pretrained",
            code="""\
for module in model.modules():
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d)):
        torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)""",
            change="init.reset he",
        ),
        Prescription(
            title="Constrain the offending layer with spectral norm",
            expect="the gradient norm of that layer stays level, and the spikes end",
            safety=Safety.MANUAL,
            not_when="all layers grow alike: clip the norm of the whole gradient",
            before="""\
layer = torch.nn.Linear(256, 256)""",
            code="""\
layer = torch.nn.utils.parametrizations.spectral_norm(torch.nn.Linear(256, 256))""",
        ),
    ),
    experiment=Experiment(
        does="From before the first spike, run 200 steps at learning rate / 10, then 200 clipped",
        if_true="the lower learning rate fails too, and the clipped run passes",
        if_false="the lower learning rate alone trains, or the run breaks with normal gradients",
        steps=400,
    ),
    page=__doc__,
    kind=Kind.HOW,
    looked_for_by=Tool.EXAMINE_GRADIENTS,
    symptoms=(Symptom.GRADIENTS_EXPLODE, Symptom.NOT_FINITE, Symptom.UNSTABLE),
    misdiagnoses=(Misdiagnosis(says="I need another optimizer", blames="the optimizer"),),
    places=(facts.CLIP_PLACE, facts.STEP_PLACE, facts.BACKWARD_PLACE),
)
