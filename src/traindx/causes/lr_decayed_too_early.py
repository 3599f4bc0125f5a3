"""Learning rate decayed too early.

The schedule takes the learning rate close to zero while the model is still learning.

## What happens
How far the weights can still move is bounded by the sum of the remaining learning rates. Once that sum is
almost zero, the run continues but the model no longer changes. It is rarely intended. A scheduler meant for
epochs is stepped once per batch: `ExponentialLR(gamma=0.95)` leaves `0.95 ** 100`, less than 1% of the
learning rate, after 100 batches. A schedule keeps the length of an older, shorter run. Several processes
step the same scheduler. ReduceLROnPlateau with a short patience mistakes noise for a plateau, again and
again; with `mode="max"` on a loss, or `mode="min"` on a score, it counts every improvement as a bad epoch
and is at the end after a few. A restored scheduler continues from the wrong step.

## What you see
A good, fast start, then the loss flattens exactly when the logged learning rate falls. From there the
curve is flat and also smooth: the noise is gone, because the weights no longer move. Train and validation
loss freeze together, without a gap, at a level that other runs go well below. The gradient norm does not
fall: there is still something to learn. On a log axis the learning rate has lost a factor of 100 or more
long before the end.

## Often confused with
- `lr-too-low`: the curve was slow from the first step; here the initial learning rate was fine.
- `lr-decay-needed`: the flat stretch is noisy and the learning rate is still high.
- `too-few-epochs`: the loss is still falling at the end, and the schedule ends with the run.
- `capacity-too-small`: the plateau was reached while the learning rate was still high.
- `vanishing-gradients`: the gradient norm vanishes together with the progress.
- `dead-relu`: units stopped firing, and the learning rate is still high when the loss stops.
- `weight-decay-coupled`: the weights shrink all the time, and the learning rate is still high when the loss
  stops.
- `overfitting`: the training loss keeps falling.

## What not to do
- Add epochs at the end: with a learning rate near zero they change nothing.
- Enlarge the model: the larger model freezes at the same step.
- Raise the initial learning rate: the start becomes unstable and the end stays frozen.
- Judge a model or a data set by this run: every variant stops where the schedule stops.

## References
- Loshchilov, Hutter: SGDR: Stochastic Gradient Descent with Warm Restarts, 2017.
- Li, Yumer, Ramanan: Budgeted Training: Rethinking Deep Neural Network Training Under Resource Constraints,
  2020.
- Hoffmann and others: Training Compute-Optimal Large Language Models, 2022, the schedule has to fit the
  run's length.
- PyTorch documentation: torch.optim, "How to adjust learning rate".
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.curve import curve_of
from traindx.curves.facts import batches_per_epoch, fact_evidence, stated_number, stated_word
from traindx.curves.limits import MISTAKE
from traindx.curves.series import rate_of, whole
from traindx.facts import PLATEAU_FIRST, PLATEAU_LAST, PLATEAU_MODE, SCHEDULE, SCHEDULE_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.format import pair
from traindx.objective import Area
from traindx.quantities import LEARNING_RATE, TRAIN_LOSS, VAL_LOSS
from traindx.run import Axis, Run
from traindx.signs.chance_level import little_learned
from traindx.signs.loss import loss_diverges, loss_flat_from_start, loss_still_falling
from traindx.signs.lr import lr_decayed_early, lr_spent_at_once
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.spikes import loss_oscillates
from traindx.signs.validation import validation_turns_up

_FALLEN = 0.5
"""Of its peak: a learning rate that is lower within the first epoch falls by batches;
bench/thresholds.md#spent-at-once."""


@sign(needs=(PLATEAU_MODE, LEARNING_RATE), severity=Severity.SERIOUS, healthy=MISTAKE)
def plateau_mode_reversed(
    run: Run, *, moved: Annotated[float, "of the first value; bench/thresholds.md#plateau-mode"] = 0.05
) -> Answer:
    """`ReduceLROnPlateau` lowers the learning rate while its metric improves: its mode is the wrong one."""
    first, last = stated_number(run, PLATEAU_FIRST), stated_number(run, PLATEAU_LAST)
    mode, rate = stated_word(run, PLATEAU_MODE), rate_of(run)
    loss = curve_of(whole(run, VAL_LOSS if VAL_LOSS in run else TRAIN_LOSS))
    if first is None or last is None or rate is None or len(loss) < 2:
        return CANNOT_TELL
    rises = last - first if mode == "min" else first - last
    # A score that falls, or a loss that rises, is what the schedule is for; where the validation loss falls
    # meanwhile, what falls is a loss and what rises is a score.
    improves = loss.end < loss.start and (mode == "max" or VAL_LOSS in run)
    if rises <= moved * abs(first) or not improves or float(rate.values[-1]) >= float(rate.values[0]):
        return None
    values = pair(first, last)
    says = f'`ReduceLROnPlateau(mode="{mode}")` gets a metric that improves from {values[0]} to {values[1]}'
    says += ", takes that for a plateau and lowers the learning rate"
    return Finding(1.0, says, (fact_evidence(run, PLATEAU_MODE, SCHEDULE_PLACE),))


def _mode_fits(run: Run) -> bool:
    return not isinstance(plateau_mode_reversed(run), Finding)


def _has_other_schedule(run: Run) -> bool:
    schedule = stated_word(run, SCHEDULE)
    return bool(schedule) and "plateau" not in schedule


def _holds_for_an_epoch(run: Run) -> bool:
    """Whether the rate does not fall within the first epoch, as far as is known."""
    rate, length = rate_of(run), batches_per_epoch(run)
    if rate is None or length is None or rate.series.axis is not Axis.STEP:
        return True
    steps = rate.series.steps
    first = rate.values[steps < steps[0] + length]
    is_longer = float(steps[-1] - steps[0]) > length
    return not is_longer or float(first[-1]) >= _FALLEN * float(first.max())


CAUSE = Cause(
    slug="lr-decayed-too-early",
    area=Area.CURVE,
    title="Learning rate decayed too early",
    prior=-4.06,
    clues=(
        Clue(little_learned, seen=+0.54, unseen=-0.83),
        Clue(lr_decayed_early, seen=+6.63, unseen=-0.62, group="decayed"),
        Clue(lr_spent_at_once, seen=+8.00, group="decayed"),
        Clue(plateau_mode_reversed, seen=+8.00, group="decayed"),
        Clue(loss_still_falling, seen=-1.01),
        Clue(loss_diverges, seen=-2.00),
        Clue(loss_not_finite, seen=-2.50),
        Clue(loss_flat_from_start, seen=-1.36),
        Clue(validation_turns_up, seen=-1.01),
    ),
    fixes=(
        Prescription(
            title='Use mode="min" for a loss, mode="max" for a score',
            expect="the learning rate falls only once the metric stops improving; the loss ends lower",
            safety=Safety.ASK,
            not_when="the metric and the mode of the scheduler agree",
            before="""\
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="max")
scheduler.step(val_loss)  # each improvement counts as a bad epoch""",
            code="""\
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, mode="min")
scheduler.step(val_loss)""",
            change="schedule.reverse_plateau",
            unless=(_mode_fits,),
        ),
        Prescription(
            title="Step the scheduler once per epoch",
            expect="the learning rate is still near its peak after the first epoch, and the loss falls",
            safety=Safety.ASK,
            not_when="the schedule counts batches: then make it as long as the run",
            before="""\
for epoch in range(epochs):
    for x, y in loader:
        loss = loss_fn(model(x), y)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        scheduler.step()  # StepLR(optimizer, step_size=30) meant 30 epochs""",
            code="""\
for epoch in range(epochs):
    for x, y in loader:
        loss = loss_fn(model(x), y)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
    scheduler.step()  # after the last batch of the epoch""",
            change="schedule.each_epoch",
            unless=(_holds_for_an_epoch,),
        ),
        Prescription(
            title="Make the schedule as long as the run",
            expect="the learning rate is half its peak at mid-run, and the loss still falls",
            safety=Safety.ASK,
            not_when="the loss was at its floor before the learning rate fell",
            before="""\
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.95)  # meant for epochs
for epoch in range(epochs):
    for x, y in loader:
        loss = loss_fn(model(x), y)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        scheduler.step()  # once per batch""",
            code="""\
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs * len(loader))
for epoch in range(epochs):
    for x, y in loader:
        loss = loss_fn(model(x), y)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        scheduler.step()  # once per batch""",
            change="schedule.cosine",
        ),
        Prescription(
            title="Keep the learning rate constant",
            expect="the loss falls past the old plateau",
            safety=Safety.ASK,
            not_when="the loss oscillates at the initial learning rate: then it needs the decay",
            code="""\
for x, y in loader:
    loss = loss_fn(model(x), y)
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    # no scheduler.step(): the learning rate stays as the optimizer was created with""",
            change="schedule.constant",
            unless=(loss_oscillates,),
        ),
        Prescription(
            title="Raise the patience of ReduceLROnPlateau to 10",
            expect="fewer reductions, each after a stretch that is flat beyond the noise",
            safety=Safety.ASK,
            not_when="another scheduler is in use",
            code="""\
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.3, patience=10)""",
            change="schedule.reduce_on_plateau 10",
            unless=(_has_other_schedule,),
        ),
    ),
    experiment=Experiment(
        does="Resume the last checkpoint for 500 steps at a constant 1/3 of the initial learning rate",
        if_true="after a short rise the loss falls below the plateau within the 500 steps",
        if_false="the loss rises or stays around the plateau and does not get below it",
        steps=500,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.PLATEAU, Symptom.SLOW),
    misdiagnoses=(
        Misdiagnosis(says="I need more epochs", blames="too little training"),
        Misdiagnosis(says="My model is too small", blames="the capacity of the network"),
    ),
    places=(facts.SCHEDULE_PLACE, facts.OPTIMIZER_PLACE),
)
