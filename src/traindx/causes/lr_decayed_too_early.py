"""Learning rate decayed too early.

## What happens
The schedule ends before the learning does. How far the weights can still travel is the sum of the rates
that remain; once that sum is next to nothing, the run goes on and the model stands still. It is seldom
meant. A scheduler counted in epochs is stepped once per batch: `ExponentialLR(gamma=0.95)` leaves
`0.95 ** 100`, less than 1 % of the rate, after 100 batches. A schedule keeps the length of an older,
shorter run. Several processes step the same scheduler. ReduceLROnPlateau with a short patience takes noise
for a plateau, again and again. A restored scheduler counts on from the wrong step.

## What you see
A good fast start, then a bend at the very place where the recorded rate falls, and from there a line that
is flat and also smooth: the jitter is gone, because the weights no longer move. Train and validation loss
freeze together, with no gap opening between them, on a level that longer or older runs go well below. The
gradient norm does not fall: there is still something to learn. On a log axis the rate has lost a factor of
a hundred or more long before the end.

## Often confused with
- `lr-too-low`: the curve was slow from the first step on; here the initial rate was fine.
- `lr-decay-needed`: the flat stretch jitters and the rate is still high.
- `too-few-epochs`: the loss is still falling at the end, and the schedule ends with the run.
- `capacity-too-small`: the level was reached while the rate was still high.
- `vanishing-gradients`: the gradient norm dies together with the progress.
- `dead-relu`: units stopped firing, and the rate is still high where the loss stops.
- `weight-decay-coupled`: the weights shrink all the time, and the rate is still high where the loss stops.
- `overfitting`: the training loss keeps falling.

## What not to do
- Adding epochs at the end: at a rate of nothing they change nothing.
- Adding capacity because the training loss is stuck: the larger model is frozen at the same step.
- Raising the initial rate to make up for it: the start becomes unstable and the end is as dead as before.
- Judging a model or a data set by this run: every variant stops where the schedule stops.

## References
- Loshchilov, Hutter: SGDR: Stochastic Gradient Descent with Warm Restarts, 2017.
- Li, Yumer, Ramanan: Budgeted Training: Rethinking Deep Neural Network Training Under Resource Constraints,
  2020.
- Hoffmann and others: Training Compute-Optimal Large Language Models, 2022, the schedule has to fit the
  run's length.
- PyTorch documentation: torch.optim, "How to adjust learning rate".
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.chance import little_learned
from traindx.signs.loss import loss_diverges, loss_flat_from_start, loss_still_falling
from traindx.signs.lr import lr_decayed_early
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.validation import validation_turns_up

CAUSE = Cause(
    slug="lr-decayed-too-early",
    title="Learning rate decayed too early",
    prior=-4.06,
    clues=(
        Clue(little_learned, seen=+0.54, unseen=-0.83),
        Clue(lr_decayed_early, seen=+6.63, unseen=-0.62),
        Clue(loss_still_falling, seen=-1.01),
        Clue(loss_diverges, seen=-2.00),
        Clue(loss_not_finite, seen=-2.50),
        Clue(loss_flat_from_start, seen=-1.36),
        Clue(validation_turns_up, seen=-1.01),
    ),
    fixes=(
        Prescription(
            title="Give the schedule the length of the run, in the unit in which it is stepped",
            expect="the rate is half its peak at half of the run, and the loss falls past the old bend",
            safety=Safety.ASK,
            not_when="the loss was on its floor before the rate fell",
            before="""\
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.95)  # meant for epochs
for epoch in range(epochs):
    for x, y in loader:
        loss = loss_fn(model(x), y)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        scheduler.step()  # once per batch""",
            code="""\
total_steps = epochs * len(loader)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total_steps)
for epoch in range(epochs):
    for x, y in loader:
        loss = loss_fn(model(x), y)
        optimizer.zero_grad(); loss.backward(); optimizer.step()
        scheduler.step()  # once per optimizer step; or T_max=epochs and once per epoch, never mixed""",
            change="schedule.cosine",
        ),
        Prescription(
            title="Keep the rate constant, and decay it over the last fifth only",
            expect="the loss falls on past the old bend, and once more during the last fifth",
            safety=Safety.ASK,
            not_when="the initial rate makes the run swing: then it does need the decay",
            code="""\
hold = int(0.8 * total_steps)
scheduler = torch.optim.lr_scheduler.LambdaLR(
    optimizer, lambda step: min(1.0, max(0.0, (total_steps - step) / (total_steps - hold)))
)""",
            change="schedule.constant",
        ),
        Prescription(
            title="Give ReduceLROnPlateau more patience and a floor",
            expect="fewer reductions than before, each after a stretch that is flat beyond the noise",
            safety=Safety.ASK,
            not_when="another kind of scheduler is in use",
            code="""\
scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
    optimizer, factor=0.3, patience=10, threshold=1e-3, cooldown=5, min_lr=lr * 1e-3
)""",
            change="schedule.reduce_on_plateau 10",
        ),
    ),
    experiment=Experiment(
        does="Continue the last checkpoint for 500 steps at a third of the initial rate, held constant",
        if_true="after a short rise the loss falls below the flat level within the 500 steps",
        if_false="the loss rises or jitters around the old level and does not get below it",
        minutes=5,
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
