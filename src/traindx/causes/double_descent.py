"""Double descent.

## What happens
Around the point where a network just becomes able to fit every training example, validation error peaks.
There the fit is forced: hardly any other function of this model passes through all points, and it bends
wildly between them. Beyond it, with more parameters or more steps, many functions fit, training prefers
smooth ones among them, and validation error falls a second time. It shows along the size of the model,
along the amount of data and along the number of epochs; noisy labels make the peak higher.

It is a stage and not a fault. The harm is done by decisions taken at the peak. It is also rare: most
validation losses that turn up do not come down again, and nothing before the peak tells which ones will.

## What you see
Along the steps: the validation loss falls, climbs to a hump, and falls again, while the training loss goes
down all the time and is near zero after the hump. The second descent is slow and may take many times the
epochs of the first. Along model sizes: the best validation loss of a middle size is worse than that of a
smaller and a larger one.

## Often confused with
- `overfitting`: the validation loss keeps climbing or stays high to the end; there is no second fall.
- `lr-decay-needed`: the second fall coincides with a drop of the rate.
- `lr-too-high`: the training loss has the hump as well.
- `label-noise`: the reason why the hump is high; cleaned labels flatten it.
- `too-few-epochs`: the validation loss has never turned, it just goes down.
- `momentum-too-high`: the training loss falls, climbs back and falls again as well.

## What not to do
- Stopping at the peak and keeping that model: it is the worst of the run; keep the best before it or train
  well past it.
- Shrinking the model because it seems to overfit at the peak: on the far side the larger one is better.
- Counting on a second descent because the validation loss climbs: it usually is plain overfitting, so
  compare with the best checkpoint of the first valley.
- Reading a hump from one seed and a small validation set: noise makes humps too.
- Calling the second valley a success when the first was deeper: the checkpoint at the first valley wins.

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
from traindx.cause import Cause, Clue, Experiment, Kind, Misdiagnosis, Prescription, Safety, Symptom
from traindx.signs.generalization import confidently_wrong, double_descent
from traindx.signs.loss import loss_diverges, loss_falls
from traindx.signs.lr import lr_rise_hurts
from traindx.signs.optimizer import batchnorm_statistics_lag
from traindx.signs.spikes import loss_oscillates
from traindx.signs.validation import validation_noisy

CAUSE = Cause(
    slug="double-descent",
    title="Double descent",
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
            title="Train on past the hump, and keep the best checkpoint of both valleys",
            expect="the validation loss goes on falling after the hump and may pass its first minimum",
            safety=Safety.ASK,
            not_when="the second valley has flattened above the first: take the checkpoint of the first",
            before="""\
best, waited = float("inf"), 0
for epoch in range(epochs):
    train_one_epoch(model, train_loader, optimizer)
    val_loss = evaluate(model, val_loader)
    if val_loss < best:
        best, waited = val_loss, 0
    elif (waited := waited + 1) >= 3:
        break  # half-way up the hump
torch.save(model.state_dict(), "last.pt")""",
            code="""\
best = float("inf")
for epoch in range(5 * epochs):  # no early stopping
    train_one_epoch(model, train_loader, optimizer)
    val_loss = evaluate(model, val_loader)
    if val_loss < best:
        best = val_loss
        torch.save(model.state_dict(), "best.pt")""",
        ),
        Prescription(
            title="Tune weight decay: at the right strength the hump disappears",
            expect="the validation loss falls without a hump, to the level of the second valley or below",
            safety=Safety.ASK,
            not_when="the training loss then stays high: the decay is too strong",
            code="""\
for weight_decay in (0.0, 0.01, 0.1):
    model.load_state_dict(start)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=weight_decay)
    for _ in range(epochs):
        train_one_epoch(model, train_loader, optimizer)
    print(weight_decay, evaluate(model, val_loader))""",
            change="regularize.weight_decay 0.1",
        ),
        Prescription(
            title="Use a clearly larger model, so that it lies beyond the critical size",
            expect="the hump is lower and earlier, and the validation loss ends below both valleys",
            safety=Safety.MANUAL,
            not_when="memory or latency forbids it, or the model is already many times the critical size",
            code="""\
for width in (64, 256, 1024):
    model = network(width)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(epochs):
        train_one_epoch(model, train_loader, optimizer)
    print(width, evaluate(model, val_loader))""",
        ),
    ),
    experiment=Experiment(
        does="Repeat the run with a second seed and a constant rate, past the hump",
        if_true="hump and second fall come back at about the same step, with the training loss near zero",
        if_false="there is no hump, or no second fall without the drop of the rate",
        minutes=60,
    ),
    page=__doc__,
    symptoms=(Symptom.GENERALISES_BADLY,),
    misdiagnoses=(Misdiagnosis(says="My model is too large", blames="overfitting by too many parameters"),),
    places=(facts.VALIDATION_PLACE,),
)
