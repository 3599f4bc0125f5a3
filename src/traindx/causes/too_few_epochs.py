"""Too few epochs.

The run ended while it was still learning.

## What happens
Nothing is wrong except the length: a budget copied from another data set, a time limit, early stopping with
little patience, or a schedule that took the learning rate to zero while the loss was still falling.

A loss that falls a little at the end is normal; almost every run could be improved further, at growing
cost. It is a problem when the fall at the end is steep: when another 10% of the run would bring a gain that
matters.

## What you see
Training and validation loss both fall to the very last point, with a slope well above their noise, and the
best validation loss is the last one. The curve has not flattened. With a schedule that ends at zero the
curve flattens at the end for that reason alone, which does not show how far a longer run would get.

## Often confused with
- `lr-too-low`: the loss falls along a straight, slow line; a higher learning rate reaches the same loss in
  10% of the steps.
- `lr-decayed-too-early`: the loss stopped falling when the learning rate became small, not when the run
  ended.
- `batch-too-large`: an epoch has only a few updates, and a smaller batch does what more epochs would.
- `unnormalized-targets`: a regression output far from its targets; standardized, it gets there in a few
  steps.
- `underfitting`: the loss is high and flat; more steps change nothing.
- `capacity-too-small`: the loss has flattened at a plateau.
- `overfitting`: the validation loss has already turned up; the run was too long.

## What not to do
- Enlarge the model: every step costs more, and the run is still too short.
- Resume a cosine schedule at its end: the learning rate is zero; start a new or longer schedule.
- Add epochs without stretching the schedule: the learning rate stays at zero, or rises again, as PyTorch's
  `CosineAnnealingLR` does after `T_max`.
- Compare two settings at this length: the one that leads early may not win.
- Add regularization: it slows a run that had too little time.

## References
- Hoffmann and others: Training Compute-Optimal Large Language Models, 2022 (the schedule must match the
  length).
- Mosbach, Andriushchenko, Klakow: On the Stability of Fine-tuning BERT, ICLR, 2021.
- Hägele and others: Scaling Laws and Compute-Optimal Training Beyond Fixed Training Durations, NeurIPS,
  2024.
- Prechelt: Early Stopping - But When?, in Neural Networks: Tricks of the Trade, Springer, 1998.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.curve import curve_of
from traindx.curves.facts import batches_per_epoch, fact_evidence, was_cut_short
from traindx.curves.limits import LAST_THIRD, LITTLE
from traindx.curves.series import steps_taken, whole
from traindx.facts import STEPS_PER_EPOCH, TRAINING_SAMPLES
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.objective import LANGUAGE_MODELING, Area
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run
from traindx.signs.chance_level import little_learned, loss_at_chance
from traindx.signs.gradients import gradients_agree
from traindx.signs.loop import few_steps_in_all, few_updates_per_epoch
from traindx.signs.loss import (
    loss_converged,
    loss_diverges,
    loss_falls,
    loss_falls_slowly,
    loss_flat_from_start,
    loss_plateaus,
    loss_still_falling,
)
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.spikes import loss_oscillates, spikes_recur
from traindx.signs.targets import targets_unscaled
from traindx.signs.validation import validation_improves, validation_turns_up
from traindx.signs.weights import updates_tiny

_POINTS = 20
"""Fewest points whose last third has an end of its own; bench/thresholds.md#few-points."""


@sign(needs=(TRAIN_LOSS, TRAINING_SAMPLES), healthy=-2.79, formerly="few_passes")
def few_epochs(
    run: Run,
    *,
    passes: Annotated[float, "over the training data; bench/thresholds.md#passes"] = 3.5,
    samples: Annotated[float, "in the training data; bench/thresholds.md#passes"] = 20_000,
    noises: Annotated[float, "fall over its standard error; bench/thresholds.md#noises"] = 2.0,
) -> Answer:
    """Few epochs over a small data set, with the loss still falling."""
    loss, each = curve_of(whole(run, TRAIN_LOSS)), batches_per_epoch(run)
    rows = run.facts.get(TRAINING_SAMPLES)
    if each is None or len(loss) < _POINTS or not isinstance(rows, int | float) or was_cut_short(run):
        return CANNOT_TELL
    done = steps_taken(run) / each
    # A large data set is seen once or twice on purpose.
    if done > passes or rows > samples:
        return None
    before = loss.level_at(LAST_THIRD)
    if before - loss.end < max(noises * loss.end_noise, LITTLE * loss.progress):
        return None
    says = f"only {done:.1f} epochs over {rows:,.0f} samples; loss still falls in the last third"
    says += f" ({loss.text(before)} -> {loss.text(loss.end)})"
    fact = STEPS_PER_EPOCH if STEPS_PER_EPOCH in run.facts else TRAINING_SAMPLES
    return Finding(1.0, says, (fact_evidence(run, fact),))


CAUSE = Cause(
    slug="too-few-epochs",
    area=Area.CURVE,
    not_for=(LANGUAGE_MODELING,),
    title="Training ended too early",
    prior=-3.29,
    acts_through=("underfitting",),
    clues=(
        Clue(little_learned, seen=+0.54, unseen=-0.53),
        Clue(few_steps_in_all, seen=+2.17),
        Clue(few_epochs, seen=+3.59),
        Clue(targets_unscaled, seen=-1.00),
        Clue(few_updates_per_epoch, seen=-2.00),
        Clue(gradients_agree, seen=-0.45),
        Clue(updates_tiny, seen=-2.50),
        Clue(loss_still_falling, seen=+2.53, unseen=-0.23),
        Clue(loss_falls_slowly, seen=+0.17),
        Clue(validation_improves, seen=+0.07),
        Clue(loss_falls, seen=+0.00, unseen=-1.72),
        Clue(spikes_recur, seen=-1.03),
        Clue(loss_plateaus, seen=-1.61),
        Clue(loss_converged, seen=-1.24),
        Clue(loss_flat_from_start, seen=-2.02),
        Clue(loss_at_chance, seen=-0.51),
        Clue(loss_oscillates, seen=-1.01),
        Clue(loss_diverges, seen=-2.00),
        Clue(loss_not_finite, seen=-2.03),
        Clue(validation_turns_up, seen=-3.05),
    ),
    fixes=(
        Prescription(
            title="Train 3x longer, with the schedule stretched to match",
            expect="both losses pass their old final values well before the new end",
            safety=Safety.ASK,
            not_when="the validation loss has turned up, or the training loss is flat",
            before="""\
epochs = 3
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(train_loader))""",
            code="""\
epochs = 9
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(train_loader))""",
            unless=(validation_turns_up, loss_plateaus),
        ),
        Prescription(
            title="Resume from the last checkpoint at the peak learning rate",
            expect="the loss ends below its old final value, possibly after a short rise",
            safety=Safety.ASK,
            not_when="the optimizer state was not saved: without it the first steps undo progress",
            code="""\
saved = torch.load("last.pt", weights_only=True)
model.load_state_dict(saved["model"])
optimizer.load_state_dict(saved["optimizer"])
for group in optimizer.param_groups:
    group["lr"] = 1e-3  # the peak
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=extra_steps)""",
        ),
        Prescription(
            title="If time is limited, multiply the learning rate by 3",
            expect="the loss is lower at equal steps after 10% of the run",
            safety=Safety.ASK,
            not_when="the loss oscillates or spikes",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)""",
            change="optimizer.lr x 3",
            unless=(loss_oscillates, spikes_recur),
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)""",
        ),
        Prescription(
            title="Raise the patience of early stopping to 10",
            expect="the run passes the old stop, and the best validation loss improves",
            safety=Safety.ASK,
            not_when="a fixed number of epochs ended the run, not early stopping",
            code="""\
patience = 10
waited = 0 if val_loss < best else waited + 1
best = min(best, val_loss)
stop = waited >= patience""",
            before="""\
patience = 2
waited = 0 if val_loss < best else waited + 1
best = min(best, val_loss)
stop = waited >= patience""",
        ),
    ),
    experiment=Experiment(
        does="Resume the last checkpoint for 500 steps at the learning rate of mid-run",
        if_true="both losses keep falling, possibly after a short rise",
        if_false="both losses stay within their noise",
        steps=500,
    ),
    page=__doc__,
    symptoms=(Symptom.SLOW,),
    misdiagnoses=(
        Misdiagnosis(says="My model is too small", blames="the capacity of the network"),
        Misdiagnosis(says="I need another optimizer", blames="the optimizer"),
    ),
    places=(facts.SCHEDULE_PLACE, facts.OPTIMIZER_PLACE),
)
