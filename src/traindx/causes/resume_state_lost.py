"""Training state lost on resume.

The checkpoint restores the weights, but not the optimizer, the schedule, the loss scaler or the position in
the data.

## What happens
A training run is more than its weights. Adam keeps two moving averages for every weight; without them the
first steps after the restart are of full size in nearly random directions, because the second average starts
from a single gradient. SGD loses its momentum. A new scheduler counts from 0: the learning rate goes back
into warm-up, or back up to its peak. A new loss scaler starts at 65536 and skips steps until it fits. Without
the averaged weights (EMA), validation falls back to the raw ones. Without the random state and the number of
batches done, the run sees the first batches again and never the last ones.

If even the weights do not match (`strict=False`, a prefix such as `module.`, an older file), part of the
model starts from scratch, and the loss jumps nearly back to its start.

## What you see
The step counter goes on from the checkpoint and the curve does not. At the step of the restart the loss jumps
above the level it had there, then falls again, and needs hundreds of steps to get back. The logged learning
rate jumps at the same step: near zero and rising where it was near its end, or back at its peak. Each restart
of a job that is preempted often repeats it, as a sawtooth. If the jump is small, only the learning rate
shows it.

## Often confused with
- `lr-decayed-too-early`: the learning rate falls and stays low, and the loss freezes without a jump.
- `lr-too-high`: the loss jumps at steps that have nothing to do with a restart.
- `missing-warmup`: the loss jumps in the first steps of the whole run, not at the step of a checkpoint.
- `train-val-mismatch`: a new data mixture after the restart moves the loss too, but the learning rate
  continues and the loss does not come back to its old curve.
- `input-outliers`: single batches raise the loss for a few steps, also far from a restart.

A loss that is logged as a running average restarts its average with the process: the curve is noisy, not
higher, in the first points after the restart. A restart from weights alone that the configuration asks for
(fine-tuning from a checkpoint) starts its own schedule on purpose.

## What not to do
- Lower the learning rate: the jump gets smaller and the whole rest of the run slower.
- Clip the gradients: Adam's first steps are large because its averages are empty, not its gradients.
- Delete the points after the seam from the plot: the weights keep what the jump did to them.
- Restart more often: each restart repeats the jump.
- Load with `strict=False` to silence missing keys: they are what is lost.

## References
- PyTorch documentation: Saving and Loading Models, "Saving & Loading a General Checkpoint for Inference
  and/or Resuming Training".
- Kingma, Ba: Adam: A Method for Stochastic Optimization, 2015, section 3 on the bias of empty averages.
- huggingface/transformers issue 33336, NVIDIA-NeMo/Automodel issue 763, PolymathicAI/the_well issue 77.
"""

from typing import Annotated

import numpy as np

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.curve import curve_of
from traindx.curves.facts import stated_number
from traindx.curves.limits import FEW, TRIPLE, graded
from traindx.curves.series import rate_of, whole
from traindx.facts import LEARNING_RATE_BEFORE, LOSS_BEFORE
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, Severity, sign
from traindx.format import number, pair, step
from traindx.objective import Area, Problem
from traindx.quantities import LEARNING_RATE, TRAIN_LOSS
from traindx.run import Run

_LEVEL = 5
"""Points whose median is a level; bench/thresholds.md#resumed."""
_SOON = 0.2
"""Share of a resumed run in which a lost state shows: after a new warm-up; bench/thresholds.md#resumed."""


@sign(needs=(LOSS_BEFORE, TRAIN_LOSS), severity=Severity.SERIOUS, healthy=-2.5, problem=Problem.UNSTABLE)
def loss_jumps_on_resume(
    run: Run,
    *,
    share: Annotated[float, "rise over the loss before; bench/thresholds.md#resumed"] = 0.1,
    noises: Annotated[float, "rise over the noise of a point; bench/thresholds.md#noises"] = 3.0,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """Loss jumps at the step where the run was resumed."""
    before, loss = stated_number(run, LOSS_BEFORE), curve_of(whole(run, TRAIN_LOSS))
    if before is None or len(loss) < points:
        return CANNOT_TELL
    first = loss.values[: max(round(_SOON * len(loss)), _LEVEL)]
    levels = np.median(np.lib.stride_tricks.sliding_window_view(first, _LEVEL), axis=1)
    worst, now = int(levels.argmax()), float(levels.max())
    least = max(share * abs(before), noises * loss.noise)
    if now - before <= least:
        return None
    where = (float(loss.steps[worst]), float(loss.steps[worst + _LEVEL - 1]))
    left, after = pair(before, now)
    says = f"{loss.called} is {left} before the restart at {loss.axis.value} {step(float(loss.steps[0]))}"
    says += f" and {after} after it"
    evidence = loss.evidence(where, now, before + least)
    return Finding(graded((now - before) / least, 1.0, TRIPLE, least=1 / 2), says, (evidence,))


@sign(
    needs=(LEARNING_RATE_BEFORE, LEARNING_RATE),
    severity=Severity.WARNING,
    healthy=-2.5,
    problem=Problem.UNSTABLE,
)
def lr_restarts_on_resume(
    run: Run,
    *,
    apart: Annotated[float, "factor between learning rates; bench/thresholds.md#resumed"] = 1.5,
    back: Annotated[float, "share of the old one that a warm-up reaches; bench/thresholds.md#resumed"] = 0.5,
) -> Answer:
    """Learning rate schedule starts over where the run was resumed."""
    before, rate = stated_number(run, LEARNING_RATE_BEFORE), rate_of(run)
    if before is None or rate is None or before <= 0:
        return CANNOT_TELL
    now = float(np.median(rate.values[:FEW]))
    if max(now, before) <= apart * min(now, before):
        return None
    # A lower rate that stays is a choice; one that climbs back is a warm-up that runs again.
    climbs = rate.peak >= max(back * before, apart * now)
    if now < before and not climbs:
        return None
    where = (float(rate.series.steps[0]), float(rate.series.steps[int(rate.values.argmax())]))
    says = f"learning rate is {number(before)} before the restart and {number(now)} after it"
    says += (
        f", back in warm-up (to {number(rate.peak)})"
        if now < before
        else ", back at the start of its schedule"
    )
    return Finding(1.0, says, (Evidence(LEARNING_RATE, where, now, before, rate.series.axis),))


CAUSE = Cause(
    slug="resume-state-lost",
    area=Area.LOOP,
    title="Training state lost on resume",
    prior=-4.20,
    clues=(
        Clue(loss_jumps_on_resume, seen=+6.20, unseen=-1.00),
        Clue(lr_restarts_on_resume, seen=+6.70, unseen=-0.50),
    ),
    fixes=(
        Prescription(
            title="Save and load the optimizer and the schedule with the weights",
            expect="loss and learning rate go on where they were at the checkpoint",
            safety=Safety.MANUAL,
            not_when="the weights alone were meant to be loaded, to fine-tune them with a new schedule",
            before="""\
torch.save({"model": model.state_dict(), "step": step}, "last.pt")

checkpoint = torch.load("last.pt")
model.load_state_dict(checkpoint["model"])
step = checkpoint["step"]""",
            code="""\
torch.save(
    {
        "model": model.state_dict(),
        "optimizer": optimizer.state_dict(),
        "scheduler": scheduler.state_dict(),
        "step": step,
    },
    "last.pt",
)

checkpoint = torch.load("last.pt")
model.load_state_dict(checkpoint["model"])
optimizer.load_state_dict(checkpoint["optimizer"])
scheduler.load_state_dict(checkpoint["scheduler"])
step = checkpoint["step"]""",
        ),
        Prescription(
            title="Save the loss scaler, the averaged weights and the random state too",
            expect="no skipped steps, no drop in validation and no repeated batches after a restart",
            safety=Safety.MANUAL,
            not_when="the run uses neither float16 nor averaged weights, and data comes in any order",
            code="""\
state = {"scaler": scaler.state_dict(), "ema": ema.state_dict(), "random": torch.get_rng_state()}""",
        ),
        Prescription(
            title="If the optimizer state is gone, warm up again to the old learning rate",
            expect="the loss does not rise, and the schedule goes on from where it was",
            safety=Safety.MANUAL,
            not_when="the optimizer state can still be loaded",
            code="""\
warmup = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=0.01, total_iters=200)""",
        ),
    ),
    experiment=Experiment(
        does="Run 200 steps; run 100, save, resume in a new process, run 100; compare both curves",
        if_true="the resumed curve jumps at step 100",
        if_false="both curves agree within the noise of two seeds",
        steps=400,
    ),
    page=__doc__,
    symptoms=(Symptom.UNSTABLE, Symptom.SLOW),
    misdiagnoses=(
        Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),
        Misdiagnosis(says="There is a bad batch in my data", blames="the data"),
    ),
    places=(facts.OPTIMIZER_PLACE, facts.SCHEDULE_PLACE),
)
