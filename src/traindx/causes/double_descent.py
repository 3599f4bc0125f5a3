"""Double descent of the validation loss.

The validation loss falls, rises to a peak while the model learns to fit every training sample, then falls a
second time.

## What happens
Validation error peaks around the size or step at which a network first fits every training sample (the
interpolation threshold). There the fit is forced: hardly any other function of this model passes through all
points, and it oscillates strongly between them. Beyond it, with more parameters or more steps, many
functions fit, training prefers smooth ones among them, and validation error falls a second time. The peak
appears along model size, dataset size and number of epochs; noisy labels make it higher.

A run fails through it if it is stopped or judged at the peak: the model kept there is the worst of the run.
Double descent is rare. Most validation losses that rise do not fall again, and nothing before the peak shows
which ones will.

## What you see
The validation loss falls, rises to a peak and falls again, while the training loss falls throughout and is
near 0 after the peak. The second descent is slow and may take many times the epochs of the first. Along
model sizes, a medium model has a worse best validation loss than a smaller and a larger one.

## Often confused with
- `overfitting`: the validation loss keeps rising or stays high to the end, without a second fall.
- `lr-decay-needed`: the second fall coincides with a drop of the learning rate.
- `lr-too-high`: the training loss has the peak as well.
- `label-noise`: the reason for a high peak; clean labels flatten it.
- `too-few-epochs`: the validation loss has never turned up; it only falls.
- `momentum-too-high`: the training loss falls, climbs back and falls again as well.

## What not to do
- Keep the model from the peak: it is the worst of the run; keep the best one before it, or train well past
  it.
- Shrink the model because of the peak: past the peak the larger model is better.
- Count on a second descent: a rising validation loss is usually plain overfitting; compare with the best
  checkpoint so far.
- Trust a peak from one seed: noise on a small validation set makes peaks too.
- Prefer a second minimum above the first: the checkpoint at the first minimum is better.

## References
- Nakkiran, Kaplun, Bansal, Yang, Barak, Sutskever: Deep Double Descent: Where Bigger Models and More Data
  Hurt, ICLR, 2020.
- Belkin, Hsu, Ma, Mandal: Reconciling Modern Machine-Learning Practice and the Classical Bias-Variance
  Trade-Off, PNAS, 2019.
- Heckel, Yilmaz: Early Stopping in Deep Networks: Double Descent and How to Eliminate It, ICLR, 2021.
- Power, Burda, Edwards, Babuschkin, Misra: Grokking: Generalization Beyond Overfitting on Small Algorithmic
  Datasets, 2022.
"""

from traindx import facts
from traindx.cause import (
    WHOLE_RUN,
    Cause,
    Clue,
    Experiment,
    Kind,
    Misdiagnosis,
    Prescription,
    Safety,
    Symptom,
)
from traindx.objective import Area
from traindx.signs.generalization import confidently_wrong, double_descent
from traindx.signs.loss import loss_diverges, loss_falls
from traindx.signs.lr import lr_rise_hurts
from traindx.signs.optimizer import batchnorm_statistics_lag, decay_strong
from traindx.signs.spikes import loss_oscillates
from traindx.signs.validation import validation_noisy

CAUSE = Cause(
    slug="double-descent",
    area=Area.FIT,
    title="Double descent of the validation loss",
    prior=-4.79,
    kind=Kind.HOW,
    clues=(
        Clue(batchnorm_statistics_lag, seen=-4.17),
        Clue(confidently_wrong, seen=+0.50),
        Clue(double_descent, seen=+9.23, unseen=-4.05),
        Clue(loss_falls, seen=+0.64, unseen=-2.00),
        Clue(loss_diverges, seen=-2.00),
        Clue(loss_oscillates, seen=-1.50),
        Clue(lr_rise_hurts, seen=-2.50),
        Clue(validation_noisy, seen=-1.00),
    ),
    fixes=(
        Prescription(
            title="Train past the peak and keep the best checkpoint",
            expect="the validation loss falls again after the peak",
            safety=Safety.ASK,
            not_when="the second minimum has leveled off above the first: use the first checkpoint",
            before="""\
best, waited = float("inf"), 0
for epoch in range(epochs):
    train_one_epoch(model, train_loader, optimizer)
    val_loss = evaluate(model, val_loader)
    if val_loss < best:
        best, waited = val_loss, 0
        torch.save(model.state_dict(), "best.pt")
    elif (waited := waited + 1) >= 3:
        break  # stops on the way up to the peak""",
            code="""\
best = float("inf")
for epoch in range(epochs):
    train_one_epoch(model, train_loader, optimizer)
    val_loss = evaluate(model, val_loader)
    if val_loss < best:
        best = val_loss
        torch.save(model.state_dict(), "best.pt")""",
        ),
        Prescription(
            title="Set the weight decay to 0.1",
            expect="the validation loss falls without a peak",
            safety=Safety.ASK,
            not_when="weight decay is already strong, or the training loss then stays high",
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)""",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)""",
            change="regularize.weight_decay 0.1",
            unless=(decay_strong,),
        ),
        Prescription(
            title="Multiply the width of the hidden layers by 4",
            expect="the peak is lower and earlier, and the validation loss ends lower",
            safety=Safety.MANUAL,
            not_when="memory or latency forbids it, or the model is far beyond the critical size",
            before="""\
model = network(width=64)""",
            code="""\
model = network(width=256)""",
        ),
    ),
    experiment=Experiment(
        does="Repeat the run past the peak with a second seed and a constant learning rate",
        if_true="the peak and the second fall come back at about the same step",
        if_false="the peak is gone, or the second fall needs the drop of the learning rate",
        steps=WHOLE_RUN,
    ),
    page=__doc__,
    symptoms=(Symptom.GENERALIZES_BADLY,),
    misdiagnoses=(Misdiagnosis(says="My model is too large", blames="overfitting by too many parameters"),),
    places=(facts.VALIDATION_PLACE,),
)
