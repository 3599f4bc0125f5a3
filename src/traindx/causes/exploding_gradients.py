"""Exploding gradients.

## What happens
Going back through the network the gradient is multiplied once per layer, or once per time step:
`J_n * ... * J_1`. Where these factors stretch more than they shrink (largest singular values above 1), the
product grows exponentially with depth or sequence length, and the loss surface has cliffs: flat ground,
then a wall. A step taken at the wall is as long as the wall is steep, and it throws the weights far away.
In a recurrent network the same matrix is multiplied with itself, so an eigenvalue of 1.1 makes 14,000 of 1
over 100 time steps.

This is a mechanism. The reason may be recurrence, weights drawn too large, depth without normalisation,
inputs that are far too large, or a rate that has moved the weights there; the name stands alone when a ten
times lower rate still fails.

## What you see
The gradient norm rises by orders of magnitude, or in single spikes far above everything before, and the
loss follows: a jump, inf, or NaN. The order matters: the norm moves first. Between the spikes the run can
look healthy. In recurrent networks it comes with longer sequences. Large norms that stay the same are not
this: a norm of 500 from a summed loss may be ordinary; compare with the run's own past, not with 100.

## Often confused with
- `lr-too-high`: gradients are ordinary until the weights have moved, and a ten times lower rate trains.
- `missing-warmup`: only the first few hundred steps are in danger, and a warm-up removes it.
- `gradients-not-cleared`: the norm grows evenly from the first step on, by about the same amount per step.
- `unstable-loss-function`: the norm is ordinary one step before the NaN.
- `half-precision-overflow`: the same steps pass in float32.
- `non-finite-inputs`: the batch itself holds a NaN, and the failure comes with that batch.
- `input-outliers`: single spikes at the same samples each epoch, with calm in between.
- `bad-initialization`: the norm is huge at step 0, before any update, with inputs of mean 0 and variance 1.
- `unnormalized-inputs`: the norm is huge at step 0 because the inputs are; standardised, the run is calm.
- `unnormalized-targets`: a regression whose loss and norm are huge at step 0, while the outputs are near
  zero.
- `momentum-too-high`: the gradients are ordinary, and the sum of the past ones makes the step long.
- `attention-logit-growth`: a transformer whose attention logits have grown for thousands of steps before
  the spike.

## What not to do
- Clipping after the NaN: a NaN norm makes every gradient NaN, so clipping passes the damage on.
- Clipping at 1.0 because everyone does: a limit far below the run's usual norm makes every step the same
  length.
- Clipping scaled gradients under float16: call `scaler.unscale_(optimizer)` first, or the limit means
  nothing.
- Lowering the rate ten times as the only cure: the cliff stays, and the run is slow until it meets it.
- Replacing NaN gradients by zero: the run goes on with weights nobody can explain.
- Shortening all sequences for good: truncated backpropagation keeps the data and cuts only the gradient.

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

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Kind, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.finding import Answer, Severity, sign
from traindx.quantities import GRADIENT_NORM
from traindx.run import Run
from traindx.signs.activations import (
    activations_swell_over_depth,
    model_is_deep_and_plain,
    model_is_recurrent,
    recurrent_without_gates,
)
from traindx.signs.chance import little_learned, starts_far_above_chance
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
    """Gradients, measured against the weights, grow by orders of magnitude towards the first layers."""
    return gradient_over_depth(run, decades, layers, grows=True)


CAUSE = Cause(
    slug="exploding-gradients",
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
            title="Clip the gradient norm, at the 95th percentile of the norms of the healthy stretch",
            expect="the loss passes the step where it broke; about one step in twenty is clipped",
            safety=Safety.SAFE,
            not_when="the norm is large on every step: then the limit only acts as a lower rate",
            before="""\
loss.backward()
optimizer.step()  # whatever the norm is""",
            code="""\
limit = float(torch.tensor(recorded_norms).quantile(0.95))  # norms logged while the run was well
loss.backward()
norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=limit, error_if_nonfinite=True)
optimizer.step()""",
            change="gradients.clip p95",
        ),
        Prescription(
            title="Lower the rate ten times with a warm-up, where the weights were carried to the cliff",
            expect="the gradient norm stays in its first range for more than ten times as many steps",
            safety=Safety.ASK,
            not_when="the norm is huge at step 0, or a single batch makes the spike",
            code="""\
optimizer = torch.optim.Adam(model.parameters(), lr=1e-4)  # was 1e-3
warm = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.01, total_iters=500)
# warm.step() after each optimizer.step(); start from weights of before the first spike""",
            change="optimizer.lr x 0.1",
        ),
        Prescription(
            title="In a recurrent network use LSTM or GRU, orthogonal weights, LayerNorm, truncated time",
            expect="the gradient norm no longer grows with the sequence length; no spike within an epoch",
            safety=Safety.MANUAL,
            not_when="the network is not recurrent",
            code="""\
rnn = torch.nn.GRU(input_size, hidden_size, batch_first=True)
norm = torch.nn.LayerNorm(hidden_size)
torch.nn.init.orthogonal_(rnn.weight_hh_l0)
state = None
for chunk in sequence.split(100, dim=1):  # backpropagate through 100 steps at most
    output, state = rnn(chunk, state)
    optimizer.zero_grad()
    loss_fn(norm(output), chunk_target).backward()  # the target of this chunk alone
    optimizer.step()
    state = state.detach()""",
        ),
        Prescription(
            title="Keep the signal's size: normalise inputs and layers, draw weights with He or Xavier",
            expect="the gradient norm at step 0 is of the size of the loss, and grows no longer with depth",
            safety=Safety.ASK,
            not_when="the weights are pretrained",
            code="""\
inputs = (inputs - train_mean) / train_std
for module in model.modules():
    if isinstance(module, (torch.nn.Linear, torch.nn.Conv2d)):
        torch.nn.init.kaiming_normal_(module.weight, nonlinearity="relu")
        if module.bias is not None:
            torch.nn.init.zeros_(module.bias)""",
            change="init.reset he",
        ),
        Prescription(
            title="Bound what is guilty: spectral norm on a layer, or clip by value where few weights spike",
            expect="the spikes end, and the loss between them is as before",
            safety=Safety.MANUAL,
            not_when="all layers grow alike: then clip the whole norm, which keeps the direction",
            code="""\
from torch.nn.utils import clip_grad_value_
from torch.nn.utils.parametrizations import spectral_norm

layer = spectral_norm(torch.nn.Linear(256, 256))  # largest singular value 1; usual in discriminators
loss.backward()
clip_grad_value_(model.parameters(), clip_value=0.5)  # changes the direction; by norm does not
optimizer.step()""",
        ),
    ),
    experiment=Experiment(
        does="Repeat from before the first spike: at a tenth of the rate, then clipped at the usual norm",
        if_true="the lower rate fails too, and the clipped run passes",
        if_false="the lower rate alone trains, or the run breaks with gradients of ordinary size",
        minutes=5,
    ),
    page=__doc__,
    kind=Kind.HOW,
    looked_for_by=Tool.EXAMINE_GRADIENTS,
    symptoms=(Symptom.GRADIENTS_EXPLODE, Symptom.NOT_FINITE, Symptom.UNSTABLE),
    misdiagnoses=(Misdiagnosis(says="I need another optimizer", blames="the optimizer"),),
    places=(facts.CLIP_PLACE, facts.STEP_PLACE, facts.BACKWARD_PLACE),
)
