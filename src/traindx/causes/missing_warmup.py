"""Missing warm-up.

## What happens
The full rate meets a network that cannot bear it yet. Three things are special about the first steps. Adam
estimates the size of each gradient from very few samples: at step 1 its update is `lr * g / |g|`, the full
rate in every weight at once, whether the gradient is signal or noise. The curvature can be large right
after initialisation; a rate `lr` needs it below `2 / lr`, and small first steps let it fall there. In
transformers that normalise after the residual sum, the gradients near the output are large at the start. A
batch k times larger with a rate k times larger runs into the same wall. The rate itself is not wrong: some
hundred steps later the same value is fine.

## What you see
The recorded rate stands at its peak on the first record. The loss jumps within the first tens or few
hundreds of steps, often straight up from where it started, and then lies flat, at chance or on the level of
a model that only knows how frequent each class or word is. Or it is NaN before the first epoch ends. A
milder run survives: a high bump, a slow recovery, and an end that stays worse than that of the same run
with a warm-up.

## Often confused with
- `lr-too-high`: with a warm-up the run fails all the same, only later, when the rate comes near its peak.
- `bad-initialization`: the loss of the very first batch, before any update, is already far above chance.
- `exploding-gradients`: a ten times lower rate without warm-up still fails.
- `unnormalized-inputs`: scaling the inputs to unit variance cures it at the full rate.
- `momentum-too-high`: the loss falls before it climbs back, and with 0.9 it does not.
- `half-precision-overflow`: the same first steps pass in float32.
- `attention-logit-growth`: the run is fine for thousands of steps and breaks late.

## What not to do
- Lowering the peak rate at once: it trains, but the rest of the run pays for trouble in the first steps.
- Clipping alone: Adam rescales what is left, so the first steps stay as long as before.
- Trying other seeds until one survives: the next change of data or batch size breaks it again.
- Warming up by epochs on a large data set: a few hundred to a few thousand steps are enough, more is
  wasted.
- Calling scheduler.step() once per epoch with a warm-up counted in steps: the rate then stays near zero for
  the run.

## References
- Goyal and others: Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour, 2017.
- Vaswani and others: Attention Is All You Need, 2017.
- Liu and others: On the Variance of the Adaptive Learning Rate and Beyond, 2020.
- Xiong and others: On Layer Normalization in the Transformer Architecture, 2020.
- Ma, Yarats: On the Adequacy of Untuned Warmup for Adaptive Optimization, 2021.
- Gilmer and others: A Loss Curvature Perspective on Training Instability in Deep Learning, 2021.
"""

from typing import Annotated

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.lr import rate_of
from traindx.facts import WARMUP_RATIO, WARMUP_STEPS
from traindx.finding import CANNOT_TELL, Answer, Evidence, Finding, sign
from traindx.format import number
from traindx.quantities import LEARNING_RATE
from traindx.run import Axis, Run
from traindx.signs.activations import (
    activations_swell_over_depth,
    model_is_deep_and_plain,
    model_is_recurrent,
    units_die,
)
from traindx.signs.chance import little_learned, loss_at_chance
from traindx.signs.data import input_outliers_seen, inputs_unscaled
from traindx.signs.gradients import gradient_starts_huge
from traindx.signs.loss import (
    loss_diverges,
    loss_falls,
    loss_falls_slowly,
    loss_flat_from_start,
    loss_plateaus,
)
from traindx.signs.lr import lr_above_typical, lr_rise_hurts
from traindx.signs.nonfinite import (
    fails_in_first_steps,
    fails_without_warning,
    loss_climbs_before_failure,
    loss_not_finite,
)
from traindx.signs.spikes import loss_leaps_above_start, spikes_without_large_updates
from traindx.signs.weights import updates_large


@sign(needs=(LEARNING_RATE,))
def warmup_absent(
    run: Run,
    *,
    share: Annotated[float, "first rate over the peak; bench/thresholds.md#warm-up"] = 0.9,
    begin: Annotated[int, "latest first step; bench/thresholds.md#warm-up"] = 50,
) -> Answer:
    """The learning rate begins at its peak, without a warm-up."""
    stated = [run.facts.get(fact) for fact in (WARMUP_STEPS, WARMUP_RATIO)]
    if any(isinstance(value, int | float) and value > 0 for value in stated):
        return None
    rate = rate_of(run)
    if rate is None or rate.series.axis is not Axis.STEP:
        # Logged once per epoch, a warm-up of some hundred steps would not show.
        return CANNOT_TELL
    first = float(rate.series.steps[0])
    if first > begin:
        # The first record is too late: a warm-up would lie before it.
        return CANNOT_TELL
    if float(rate.values[0]) < share * rate.peak:
        return None
    where = (first, first)
    says = f"the rate begins at {number(float(rate.values[0]))}; its peak is {number(rate.peak)}"
    return Finding(1.0, says, (Evidence(LEARNING_RATE, where, float(rate.values[0]), share * rate.peak),))


CAUSE = Cause(
    slug="missing-warmup",
    title="Warm-up of the learning rate is missing",
    prior=-4.71,
    clues=(
        Clue(little_learned, seen=+0.31, unseen=-0.94),
        Clue(model_is_deep_and_plain, seen=-0.70),
        Clue(activations_swell_over_depth, seen=-1.00),
        Clue(lr_above_typical, seen=+1.69),
        Clue(input_outliers_seen, seen=-1.50),
        Clue(inputs_unscaled, seen=-0.70),
        Clue(units_die, seen=+1.09),
        Clue(spikes_without_large_updates, seen=-1.53),
        Clue(gradient_starts_huge, seen=-1.48),
        Clue(model_is_recurrent, seen=-1.10),
        Clue(updates_large, seen=+1.06),
        Clue(loss_leaps_above_start, seen=+0.65),
        Clue(warmup_absent, seen=+1.22, unseen=-3.54),
        Clue(fails_in_first_steps, seen=+1.05),
        Clue(loss_not_finite, seen=+0.30),
        Clue(loss_diverges, seen=+1.43),
        Clue(loss_climbs_before_failure, seen=+0.87),
        Clue(loss_at_chance, seen=+1.75),
        Clue(loss_falls_slowly, seen=-1.04),
        Clue(lr_rise_hurts, seen=-2.00),
        Clue(fails_without_warning, seen=-1.00),
        Clue(loss_plateaus, seen=+1.47),
        Clue(loss_falls, seen=-0.45),
        Clue(loss_flat_from_start, seen=-1.99),
    ),
    fixes=(
        Prescription(
            title="Raise the rate linearly over the first 500 steps, to the same peak",
            expect="no jump in the first 500 steps, and the loss is below the old run's from there on",
            safety=Safety.SAFE,
            not_when="the whole run has fewer than some hundred steps: then lower the rate instead",
            before="""\
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total_steps)
# the first step is taken at the full rate""",
            code="""\
from torch.optim.lr_scheduler import LinearLR, SequentialLR

# 500 suits most runs; with Adam and beta2 = 0.999, up to 2 / (1 - beta2) = 2000 steps
warm = LinearLR(optimizer, start_factor=0.001, total_iters=500)
main = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=total_steps - 500)
scheduler = SequentialLR(optimizer, [warm, main], milestones=[500])
# scheduler.step() after each optimizer.step(), not after each epoch""",
            change="schedule.warmup 500",
        ),
        Prescription(
            title="Normalise before each transformer block instead of after it",
            expect="the loss falls from the first steps on at the full rate, with a short warm-up or none",
            safety=Safety.MANUAL,
            not_when="pretrained weights of the other order are loaded: they do not fit",
            code="""\
layer = torch.nn.TransformerEncoderLayer(d_model=256, nhead=4, batch_first=True, norm_first=True)
model = torch.nn.TransformerEncoder(
    layer, num_layers=6, norm=torch.nn.LayerNorm(256), enable_nested_tensor=False
)""",
        ),
        Prescription(
            title="Use RAdam where a schedule cannot be added",
            expect="the first hundred steps fall without a jump at the same rate",
            safety=Safety.ASK,
            not_when="the optimizer is not of the Adam family, or the jump comes from a large batch with SGD",
            code="""\
optimizer = torch.optim.RAdam(
    model.parameters(), lr=lr, weight_decay=0.01, decoupled_weight_decay=True
)""",
        ),
    ),
    experiment=Experiment(
        does="Repeat the first 1,000 steps with the same seed and peak rate, reached linearly over 500 steps",
        if_true="the loss falls without the jump, also after the peak rate is reached",
        if_false="the loss jumps when the rate comes near its peak, or at the first steps as before",
        minutes=5,
    ),
    page=__doc__,
    acts_through=("exploding-gradients", "dead-relu"),
    looked_for_by=Tool.LR_FIND,
    symptoms=(Symptom.UNSTABLE, Symptom.NOT_FINITE, Symptom.PLATEAU),
    misdiagnoses=(
        Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),
        Misdiagnosis(says="I need another optimizer", blames="the optimizer"),
    ),
    places=(facts.SCHEDULE_PLACE, facts.OPTIMIZER_PLACE),
)
