"""Learning rate never decays.

The learning rate stays at a value that is right for the start of the run but too high for its end.

## What happens
Gradients of small batches are noisy, so at a constant learning rate the weights do not settle: they move
around the minimum. For SGD without momentum the loss stays above the minimum by about `lr * s / 4`, where
`s` is the variance of the batch gradient summed over all weights; with momentum `m` divide by `1 - m`. This
excess is proportional to the learning rate and inversely proportional to the batch size. More steps do not
lower it; a lower learning rate does, at once. Starting low is not the answer either: early progress, and
finding a good region, need the high learning rate.

A flat stretch can also be a saddle point: quiet, in the middle of the run, with a gradient norm near zero,
and left on its own after some time. There the opposite helps: momentum, the noise of smaller batches, or a
learning rate that rises for a while. In the case meant here the gradient norm stays up and the loss is
noisy.

## What you see
A fast fall, then a flat, noisy band for a large part of the run while the learning rate is constant. Train
and validation loss are both noisy, the best validation values are spread at random over many epochs, and
averaging the weights of the last epochs beats any single checkpoint. When the learning rate is lowered, by
hand or by a scheduler, the loss drops within an epoch and becomes less noisy.

## Often confused with
- `lr-too-high`: the loss jumps or oscillates instead of staying flat, and a lower constant learning rate
  ends far lower.
- `lr-too-low`: there was no fast initial fall, and a higher learning rate helps.
- `lr-decayed-too-early`: the learning rate is already near zero, and the flat stretch is smooth.
- `capacity-too-small`: lr/10 for another 10% of the steps leaves the loss where it is.
- `overfitting`: the training loss keeps falling while the validation loss does not.
- `label-noise`: the level is set by the wrong labels and does not change with the learning rate.
- `momentum-too-high`: the loss was lower before and climbed back.
- `missing-nonlinearity`: the loss ends where a linear model ends, at any learning rate and width.
- `batch-too-small`: the noise is as large as the progress from the first epoch on, and lr/10 does not
  reduce it.
- `over-regularized`: less weight decay or dropout lowers the loss; a lower learning rate does not.

## What not to do
- Train longer at the same learning rate: the loss has settled where this learning rate puts it.
- Restart with a low constant learning rate: it takes many more steps to the same loss, often a worse one.
- Enlarge the model: the noise floor comes from the learning rate, so the larger model stops there too.
- Pick the best of many noisy checkpoints: part of its lead is luck on the validation set.
- Add momentum to escape a local minimum: in high dimension a noisy plateau is hardly ever a local minimum.

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
from traindx.curves.series import rate_of
from traindx.facts import SCHEDULE
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, sign
from traindx.format import number
from traindx.objective import Area
from traindx.quantities import LEARNING_RATE
from traindx.run import Run
from traindx.signs.activations import dead_units_many, nonlinearity_missing, units_saturate
from traindx.signs.chance_level import little_learned, loss_at_chance
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
    kept: Annotated[float, "lowest later learning rate over the peak; bench/thresholds.md#constant"] = 0.8,
) -> Answer:
    """Constant learning rate."""
    rate = rate_of(run)
    if rate is None:
        return CANNOT_TELL
    last = float(rate.values[-1])
    # The lowest after the peak, not only the last: restarts may end at the top.
    if float(rate.values[int(rate.values.argmax()) :].min()) < kept * rate.peak:
        return None
    stated = run.facts.get(SCHEDULE)
    says = f"the learning rate is never lowered (peak {number(rate.peak)}, end {number(last)})"
    says += f" (schedule: {stated})" if isinstance(stated, str) else ""
    where = (float(rate.series.steps[0]), float(rate.series.steps[-1]))
    evidence = Evidence(LEARNING_RATE, where, last, kept * rate.peak, rate.series.axis)
    return Finding(1.0, says, (evidence,))


CAUSE = Cause(
    slug="lr-decay-needed",
    area=Area.CURVE,
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
            title="Decay the learning rate to zero with a cosine schedule",
            expect="the loss falls below its plateau in the second half of the run",
            safety=Safety.ASK,
            not_when="the training loss is at its floor, or the validation loss rises",
            before="""\
for x, y in loader:
    loss = loss_fn(model(x), y)
    optimizer.zero_grad(); loss.backward(); optimizer.step()""",
            code="""\
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total_steps)
for x, y in loader:
    loss = loss_fn(model(x), y)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    scheduler.step()  # after each batch, because T_max counts steps""",
            change="schedule.cosine",
            unless=(loss_converged, validation_turns_up),
        ),
        Prescription(
            title="Resume for 10% more steps while decaying lr to zero",
            expect="the training loss drops by more than its noise within 200 steps",
            safety=Safety.ASK,
            not_when="the last checkpoint overfits: then resume from the best validation loss",
            code="""\
extra = total_steps // 10
scheduler = torch.optim.lr_scheduler.LinearLR(
    optimizer, start_factor=1.0, end_factor=0.0, total_iters=extra
)""",
            unless=(validation_turns_up,),
        ),
        Prescription(
            title="Lower the learning rate when the validation loss is flat",
            expect="the loss drops within an epoch after each reduction",
            safety=Safety.ASK,
            not_when="the validation loss is so noisy that patience runs out by chance",
            code="""\
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
    optimizer, factor=0.3, patience=10, min_lr=1e-6
)
for epoch in range(epochs):
    train_one_epoch(model)
    validation_loss = validate(model)
    scheduler.step(validation_loss)  # after each validation""",
            change="schedule.reduce_on_plateau 10",
            unless=(validation_noisy,),
        ),
        Prescription(
            title="Use warm restarts if a single decay ends too high",
            expect="the loss rises at each restart and ends each cycle lower than the last",
            safety=Safety.ASK,
            not_when="the budget allows only one cycle: then decay once over the whole run",
            code="""\
scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(
    optimizer, T_0=steps_per_epoch * 10, T_mult=2, eta_min=1e-6
)  # scheduler.step() after each batch; keep the checkpoint of the end of a cycle""",
        ),
    ),
    experiment=Experiment(
        does="Resume the last checkpoint for 500 steps at lr/10",
        if_true="the loss drops below its plateau within a few hundred steps and is less noisy",
        if_false="the loss stays at its level, only less noisy",
        steps=500,
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
