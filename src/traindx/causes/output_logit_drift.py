"""Output logits drift.

The output logits move away from zero together, which the loss does not see but the arithmetic does.

## What happens
Softmax ignores a common shift: logits `s` and `s + c` give the same probabilities and the same
cross-entropy. So nothing in the loss fixes their level, and `log Z = log(sum(exp(s)))`, which would be 0 if
the logits were log-probabilities, is free to drift. Noise and asymmetry of the updates push it, mostly
downward; only weight decay pulls back. It hurts through precision and size: bfloat16 has steps of 2 between
256 and 512 and of 4 up to 1,024, so the differences that matter are rounded away; an output layer with
large weights passes large gradients down to all other layers; and all of this grows late in long runs. A
shift alone leaves the gradients as they are.

Growth without a shift is related: once the training data is fitted perfectly, scaling all logits up still
lowers the loss a little, so they grow like the logarithm of time. This is ordinary overconfidence and hurts
calibration rather than training. Dividing the logits by a small temperature does the same at once: at 0.01
they are 100x as large, and a confidently wrong sample costs a loss of 100 or more.

This is a mechanism; its roots are the learning rate, missing weight decay on the output layer, tied
embeddings, half precision or a small temperature.

## What you see
The mean of the output logits moves steadily away from zero, to minus hundreds, while the loss is flat or
still falls: an early sign. `log Z`, which starts near the log of the number of classes, moves with it. Later
the loss starts to spike, then rises slowly or diverges, late in the run; a learning rate that is too high
would have shown early. Logging a z-loss shows it directly, and so does a float32 run that is stable while
bfloat16 is not.

## Often confused with
- `attention-logit-growth`: the logits inside attention grow, early and at high learning rates.
- `lr-too-high`: the loss oscillates from the start, and the output logits are centered.
- `half-precision-overflow`: values are infinite or NaN; here they are finite and coarse.
- `bad-initialization`: logits are large before the first step; here they start near zero, unless divided by
  a temperature.
- `overfitting`: logits grow apart and the validation loss rises; their mean stays.
- `unstable-loss-function`: a hand-written softmax overflows at ordinary logits.

## What not to do
- Subtract the mean of the logits in the loss: the loss is unchanged, and the drift continues.
- Add a bias to the output layer: it is one more parameter that can drift.
- Clamp the logits: beyond the limit there is no gradient, and the true class may be among them.
- Use a z-loss weight of 0.1: it competes with the task; 1e-4 is enough.
- Compute the loss in half precision: its sums lose digits; cast the logits to float32 first.

## References
- Chowdhery and others: PaLM: Scaling Language Modeling with Pathways, 2023, the z-loss of 1e-4.
- Wortsman and others: Small-Scale Proxies for Large-Scale Transformer Training Instabilities, 2024.
- Zoph and others: ST-MoE: Designing Stable and Transferable Sparse Expert Models, 2022, the z-loss of a
  router and the rounding of large logits in bfloat16.
- Soudry and others: The Implicit Bias of Gradient Descent on Separable Data, 2018, growth like log t.
- Guo, Pleiss, Sun, Weinberger: On Calibration of Modern Neural Networks, 2017.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Kind, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import decays_in_gradient, stated_word
from traindx.facts import PARAMETER_PRECISION
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import starts_far_above_chance
from traindx.signs.loss import loss_diverges
from traindx.signs.spikes import loss_spikes
from traindx.signs.targets import output_scores_drift


def _is_float32(run: Run) -> bool:
    return stated_word(run, PARAMETER_PRECISION) == "float32"


CAUSE = Cause(
    slug="output-logit-drift",
    area=Area.NUMERICS,
    title="Output logits drift away from zero",
    prior=-4.07,
    clues=(
        Clue(output_scores_drift, seen=+4.89, unseen=-0.67),
        Clue(loss_diverges, seen=+0.70),
        Clue(loss_spikes, seen=+0.41),
        Clue(starts_far_above_chance, seen=-0.11),
    ),
    fixes=(
        Prescription(
            title="Add a z-loss with weight 1e-4",
            expect="log Z stays near 0; cross-entropy is no worse",
            safety=Safety.MANUAL,
            not_when="the logits are centered and only grow apart: that is overconfidence, not drift",
            before="""\
logits = model(x)
loss = torch.nn.functional.cross_entropy(logits, y)""",
            code="""\
logits = model(x)
loss = torch.nn.functional.cross_entropy(logits, y) + 1e-4 * logits.logsumexp(dim=-1).square().mean()""",
        ),
        Prescription(
            title="Set the weight decay to 0.1",
            expect="the norm of the output layer is level, and the drift slows down",
            safety=Safety.ASK,
            not_when="the optimizer is SGD (0.1 is too strong) or adds the decay to Adam's gradient",
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0)""",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)""",
            change="regularize.weight_decay 0.1",
            unless=(decays_in_gradient,),
        ),
        Prescription(
            title="Cast the logits to float32 before the loss",
            expect="fewer loss spikes at the same drift",
            safety=Safety.ASK,
            not_when="they are float32 already, or autocast is on: it runs cross_entropy in float32",
            before="""\
loss = torch.nn.functional.cross_entropy(model(x), y)  # a model in bfloat16""",
            code="""\
loss = torch.nn.functional.cross_entropy(model(x).float(), y)  # a model in bfloat16""",
            unless=(_is_float32,),
        ),
        Prescription(
            title="Raise the temperature of the logits to 1",
            expect="the logits start near zero, and the loss starts near chance level",
            safety=Safety.MANUAL,
            not_when="there is no temperature, or the logits are cosine similarities (contrastive losses)",
            before="""\
loss = torch.nn.functional.cross_entropy(model(x) / 0.01, y)""",
            code="""\
loss = torch.nn.functional.cross_entropy(model(x) / 1.0, y)""",
        ),
    ),
    experiment=Experiment(
        does="Log the mean logit and log Z, then resume for 500 steps with a z-loss of 1e-4",
        if_true="both had drifted before the loss moved, and with the z-loss the loss is stable",
        if_false="both are near zero, or bringing them back does not change the loss",
        steps=500,
    ),
    page=__doc__,
    kind=Kind.HOW,
    symptoms=(Symptom.UNSTABLE, Symptom.PLATEAU),
    misdiagnoses=(Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),),
    places=(facts.LOSS_PLACE, facts.MODEL_PLACE),
)
