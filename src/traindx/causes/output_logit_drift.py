"""Output scores drift.

## What happens
A softmax does not see a common shift: scores `s` and `s + c` give the same probabilities and the same
cross-entropy. So nothing in the loss holds the level of the scores, and `log Z = log(sum(exp(s)))`, which
would be 0 if scores were log-probabilities, is free to wander. Noise and asymmetry of the updates push it,
mostly downwards, and weight decay alone pulls back. It harms by precision and by size: bfloat16 has steps
of 2 between 256 and 512 and of 4 above, so the differences that decide are rounded away while the shift is
carried along; large scores make large gradients in the last layer where the prediction is wrong; and all
this grows late in long runs.

Growth without a shift is related: on training data that is fitted perfectly the loss still falls a little
by scaling all scores up, so they grow like the logarithm of time. This is ordinary overconfidence, and
harms calibration rather than the training.

This is a mechanism; rate, missing weight decay on the output layer, tied embeddings and half precision are
its roots.

## What you see
The mean of the output scores, or `log Z`, moves away from zero in a steady line, to minus hundreds, while
the loss is level or still falls: an early sign. Later the loss begins to spike, then rises slowly or
diverges, late in the run, where a rate that is too high would have shown itself early. A z-loss shows it
directly, and so does a float32 run that is calm where bfloat16 is not.

## Often confused with
- `attention-logit-growth`: the scores inside attention climb, and it comes early and with high rates.
- `lr-too-high`: the unrest is there from the start, and output scores are centred.
- `half-precision-overflow`: values are infinite or NaN; here they are finite and coarse.
- `bad-initialization`: scores are large before the first step; here they begin near zero.
- `overfitting`: scores spread apart and validation loss rises; their mean stays.
- `unstable-loss-function`: a hand-written softmax overflows at ordinary scores.

## What not to do
- Subtracting the mean from the scores for the loss only: the loss is unchanged, the drift goes on.
- Adding a bias to the output layer: it is one more thing that can drift.
- Clamping the scores: beyond the limit there is no gradient, and the right class may be among them.
- Using a z-loss of 0.1: it then competes with the task; 1e-4 is enough.
- Computing the loss in half precision and lowering the rate: cast the scores to float32 first.

## References
- Chowdhery and others: PaLM: Scaling Language Modeling with Pathways, 2023, the z-loss of 1e-4.
- Wortsman and others: Small-Scale Proxies for Large-Scale Transformer Training Instabilities, 2024.
- de Brébisson, Vincent: The Z-loss: A Shift and Scale Invariant Classification Loss Belonging to the
  Spherical Family, 2016.
- Soudry and others: The Implicit Bias of Gradient Descent on Separable Data, 2018, growth like log t.
- Guo, Pleiss, Sun, Weinberger: On Calibration of Modern Neural Networks, 2017.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Kind, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.chance import starts_far_above_chance
from traindx.signs.loss import loss_diverges
from traindx.signs.spikes import loss_spikes
from traindx.signs.targets import output_scores_drift

CAUSE = Cause(
    slug="output-logit-drift",
    title="Output scores drift away from zero",
    prior=-4.07,
    clues=(
        Clue(output_scores_drift, seen=+4.89, unseen=-0.67),
        Clue(loss_diverges, seen=+0.70),
        Clue(loss_spikes, seen=+0.41),
        Clue(starts_far_above_chance, seen=-0.11),
    ),
    fixes=(
        Prescription(
            title="Add a z-loss: a small penalty on the squared log of the softmax's sum",
            expect="the mean score stays near its start, and the cross-entropy is no worse",
            safety=Safety.MANUAL,
            not_when="the scores are centred and merely spread: that is confidence, not drift",
            before="""\
scores = model(x)
loss = torch.nn.functional.cross_entropy(scores, y)""",
            code="""\
scores = model(x).float()
log_z = torch.logsumexp(scores, dim=-1)
loss = torch.nn.functional.cross_entropy(scores, y) + 1e-4 * (log_z**2).mean()""",
        ),
        Prescription(
            title="Decay the weights of the output layer, decoupled",
            expect="the norm of the output layer is level, and the drift slows down",
            safety=Safety.ASK,
            not_when="the optimizer mixes the decay into Adam's gradient: use AdamW",
            before="""\
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)""",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)""",
            change="regularize.weight_decay 0.1",
        ),
        Prescription(
            title="Cast the scores to float32 before the loss",
            expect="the loss is calmer at the same drift, at the cost of memory for one tensor",
            safety=Safety.SAFE,
            not_when="they are float32 already, as under autocast, which does it for cross-entropy",
            before="""\
loss = torch.nn.functional.cross_entropy(model(x), y)  # a model in bfloat16""",
            code="""\
loss = torch.nn.functional.cross_entropy(model(x).float(), y)""",
        ),
    ),
    experiment=Experiment(
        does="Log the mean of the output scores and log Z, then resume for 500 steps with a z-loss of 1e-4",
        if_true="both had drifted far before the loss moved, and with the z-loss they return and it is calm",
        if_false="they are near zero, or calming them changes nothing in the loss",
        minutes=10,
    ),
    page=__doc__,
    kind=Kind.HOW,
    symptoms=(Symptom.UNSTABLE, Symptom.PLATEAU),
    misdiagnoses=(Misdiagnosis(says="My learning rate is too high", blames="the learning rate"),),
    places=(facts.LOSS_PLACE, facts.MODEL_PLACE),
)
