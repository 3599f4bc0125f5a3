"""Learning rate never decays.

## What happens
The rate was right for the journey and is too high for the arrival. Gradients of small batches carry noise,
and with a constant rate the weights do not come to rest: they wander around the minimum. Near it, the loss
stays above the minimum by about `lr * s / 4`, where `s` is the variance of the gradient summed over all
weights: proportional to the rate, and inversely to the batch size. More steps do not lower that level; a
lower rate does, at once. The rate must not start low either: the first stretch, and the choice of a good
valley, need the high one.

A flat stretch can also be a saddle: calm, in the middle of the run, with a gradient norm near zero, and left
by itself after some time. There the opposite helps: momentum, the noise of smaller batches, or a rate that
rises for a while, as in a cycle. In the band meant here the gradient norm stays up and the loss jitters.

## What you see
A fast fall, a bend, then a flat noisy band that lasts for a large part of the run while the recorded rate
is constant. Train and validation loss both jitter, the best validation values are scattered over many
epochs like lottery wins, and an average over the weights of the last epochs is better than any single
checkpoint. Where a rate is lowered by hand or by a scheduler, the loss drops like a step of a staircase
within an epoch and becomes calmer.

## Often confused with
- `lr-too-high`: the run jumps or swings instead of lying flat, and a lower constant rate from the start
  ends far lower.
- `lr-too-low`: there was no fast first stretch, and a higher rate helps.
- `lr-decayed-too-early`: the recorded rate is already near zero, and the flat stretch is smooth.
- `capacity-too-small`: a tenth of the rate for a further tenth of the steps leaves the level where it is.
- `overfitting`: the training loss keeps falling while the validation loss does not.
- `label-noise`: the level is the error rate of the labels and stays with any rate.
- `momentum-too-high`: the loss was lower before and climbed back to its band.
- `missing-nonlinearity`: the level is that of a linear model, at any rate and width.
- `batch-too-small`: the jitter is as wide as the signal from the first epoch on, and a tenth of the rate
  does not calm it.
- `over-regularized`: less weight decay or dropout lowers the level, a lower rate does not.

## What not to do
- Training longer at the same rate: the band is where this rate settles, and more epochs only draw it
  longer.
- Starting again with a low constant rate: it reaches the same level after many more steps, and often a
  worse one.
- Enlarging the model because the loss is stuck: the level belongs to the rate, so the larger model stops
  there too.
- Picking the best of many noisy checkpoints: part of its lead is luck of the validation batch.
- Adding momentum or switching the optimizer to escape a local minimum: in high dimension a noisy flat band
  is hardly ever one.

## References
- Robbins, Monro: A Stochastic Approximation Method, 1951.
- Loshchilov, Hutter: SGDR: Stochastic Gradient Descent with Warm Restarts, 2017.
- Smith: Cyclical Learning Rates for Training Neural Networks, 2017.
- Mandt, Hoffman, Blei: Stochastic Gradient Descent as Approximate Bayesian Inference, 2017.
- Bottou, Curtis, Nocedal: Optimization Methods for Large-Scale Machine Learning, 2018.
- Izmailov and others: Averaging Weights Leads to Wider Optima and Better Generalization, 2018.
- Hägele and others: Scaling Laws and Compute-Optimal Training Beyond Fixed Training Durations, 2024, the
  cooldown.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.lr import rate_of
from traindx.facts import SCHEDULE
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, sign
from traindx.format import number
from traindx.quantities import LEARNING_RATE
from traindx.run import Run
from traindx.signs.activations import dead_units_many, nonlinearity_missing, units_saturate
from traindx.signs.chance import little_learned, loss_at_chance
from traindx.signs.data import inputs_unscaled
from traindx.signs.generalization import both_losses_high, confidently_wrong
from traindx.signs.gradients import gradients_oscillate
from traindx.signs.loss import loss_converged, loss_diverges, loss_plateaus
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.optimizer import l2_inside_adam, momentum_extreme
from traindx.signs.spikes import loss_oscillates
from traindx.signs.validation import validation_noisy, validation_turns_up
from traindx.signs.weights import parameters_frozen, updates_tiny


@sign(needs=(LEARNING_RATE,), formerly="rate_constant")
def lr_constant(
    run: Run,
    *,
    kept: Annotated[float, "lowest later rate over the peak; bench/thresholds.md#constant"] = 0.8,
) -> Answer:
    """The learning rate is never lowered."""
    rate = rate_of(run)
    if rate is None:
        return CANNOT_TELL
    last = float(rate.values[-1])
    # The lowest after the peak, not only the last: restarts may end at the top.
    if float(rate.values[int(rate.values.argmax()) :].min()) < kept * rate.peak:
        return None
    stated = run.facts.get(SCHEDULE)
    says = f"the rate is {number(last)} at the end and never was above {number(rate.peak)}"
    says += f" (schedule: {stated})" if isinstance(stated, str) else ""
    where = (float(rate.series.steps[0]), float(rate.series.steps[-1]))
    evidence = Evidence(LEARNING_RATE, where, last, kept * rate.peak, rate.series.axis)
    return Finding(1.0, says, (evidence,))


CAUSE = Cause(
    slug="lr-decay-needed",
    title="Learning rate never decays",
    prior=-4.34,
    clues=(
        Clue(parameters_frozen, seen=-1.00),
        Clue(l2_inside_adam, seen=-1.00),
        Clue(inputs_unscaled, seen=-1.50),
        Clue(momentum_extreme, seen=-1.50),
        Clue(little_learned, seen=-0.73),
        Clue(confidently_wrong, seen=-1.51),
        Clue(nonlinearity_missing, seen=-1.50),
        Clue(units_saturate, seen=-1.00),
        Clue(dead_units_many, seen=-1.50),
        Clue(updates_tiny, seen=-2.01),
        Clue(gradients_oscillate, seen=+1.73, unseen=-1.58),
        Clue(loss_plateaus, seen=+2.41, unseen=-2.62),
        Clue(lr_constant, seen=+1.17, unseen=-3.10),
        Clue(validation_noisy, seen=+1.66),
        Clue(loss_oscillates, seen=-1.00),
        Clue(loss_converged, seen=-2.01),
        Clue(loss_at_chance, seen=-3.00),
        Clue(loss_diverges, seen=-2.00),
        Clue(loss_not_finite, seen=-2.52),
        Clue(validation_turns_up, seen=-1.54),
        Clue(both_losses_high, seen=-0.74),
    ),
    fixes=(
        Prescription(
            title="Let the rate fall to zero over the last part of the run",
            expect="the loss leaves its band and falls with the rate, within the first third of the decay",
            safety=Safety.ASK,
            not_when="the training loss is at its floor already, or the validation loss rises while it falls",
            before="""\
for x, y in loader:
    loss = loss_fn(model(x), y)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    # the last step is as long as the first""",
            code="""\
from torch.optim.lr_scheduler import CosineAnnealingLR

scheduler = CosineAnnealingLR(optimizer, T_max=total_steps)  # built once, before the loop
for x, y in loader:
    loss = loss_fn(model(x), y)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    scheduler.step()  # after each batch, because T_max counts steps""",
            change="schedule.cosine",
        ),
        Prescription(
            title="Continue the last checkpoint for a tenth of its steps with the rate going to zero",
            expect="the training loss drops by more than the width of its band within 200 steps",
            safety=Safety.ASK,
            not_when="the last checkpoint overfits: then start from the one with the best validation loss",
            code="""\
extra = total_steps // 10
scheduler = torch.optim.lr_scheduler.LinearLR(
    optimizer, start_factor=1.0, end_factor=0.0, total_iters=extra
)""",
        ),
        Prescription(
            title="Lower the rate when the validation loss stops falling",
            expect="each reduction is followed by a step down of the loss within an epoch",
            safety=Safety.ASK,
            not_when="the validation loss is so noisy that patience runs out by chance",
            code="""\
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
    optimizer, factor=0.3, patience=10, min_lr=1e-6
)
for epoch in range(epochs):
    validation_loss = validate(model)
    scheduler.step(validation_loss)  # after each validation""",
            change="schedule.reduce_on_plateau 10",
        ),
        Prescription(
            title="Use a cycle or warm restarts where one decay ends on a poor level",
            expect="the loss rises at each restart and ends each cycle below the end of the cycle before",
            safety=Safety.ASK,
            not_when="the budget allows a single cycle: then one decay over the whole run is better",
            code="""\
scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(
    optimizer, T_0=steps_per_epoch * 10, T_mult=2, eta_min=1e-6
)
# or up and down evenly, after each batch; keep the checkpoint of the end of a cycle:
# torch.optim.lr_scheduler.CyclicLR(optimizer, base_lr=1e-4, max_lr=1e-3, step_size_up=2000)""",
        ),
    ),
    experiment=Experiment(
        does="Continue the last checkpoint for 500 steps at a tenth of the rate",
        if_true="the loss drops below its band within some hundred steps and becomes calmer",
        if_false="the loss stays on its level, only calmer",
        minutes=5,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.PLATEAU, Symptom.UNSTABLE),
    misdiagnoses=(
        Misdiagnosis(says="I need more epochs", blames="too little training"),
        Misdiagnosis(says="I am stuck in a local minimum", blames="the loss surface"),
    ),
    places=(facts.SCHEDULE_PLACE, facts.OPTIMIZER_PLACE),
)
