"""Overfitting.

The model memorizes the training samples and gets worse on new data.

## What happens
The network has learned what the training samples share and now learns what is peculiar to each of them:
noise, wrong labels, accidents of sampling. That lowers the training loss and raises the validation loss. It
happens when the model can store the training set, the set is small or repeated many times, and nothing
constrains the weights.

A gap between the two losses is not overfitting. Every network that learns has one, and it may grow while
the validation loss still falls. Overfitting starts when the validation loss itself turns up.

Loss and metric need not turn together. Cross-entropy punishes confident mistakes, so the validation loss
often climbs while accuracy is level or improves. Decide by the number the model will be judged by.

Remedies by cost: stop at the best checkpoint; weight decay (0.01 to 0.1 with AdamW) and dropout (0.1 to
0.3, up to 0.5 in wide fully connected layers); augmentation (images: crops, flips, colors; text: synonyms,
back-translation; tables: a little noise); a smaller or a pretrained model; more data, the best and most
expensive. Beyond that, averaging models trained with different seeds still lowers the validation loss.

## What you see
The validation loss falls, reaches a minimum, turns, and climbs by more than its noise, evaluation after
evaluation, while the training loss keeps falling toward zero. With a few hundred samples it turns within a
few epochs; in fine-tuning often in the second or third epoch, with the training loss dropping at each epoch
boundary. Training accuracy approaches 100%, validation accuracy stops or declines.

## Often confused with
- `train-val-mismatch`: the validation loss is bad from the first evaluation and never improves; here it
  improves first.
- `double-descent`: the climb ends and the validation loss falls a second time, after the training loss is
  near zero.
- `train-eval-mode-bug`: the training samples themselves score badly in eval mode; an overfitted network
  scores perfectly on them.
- `lr-too-high`: the training loss turns up together with the validation loss.
- `label-noise`: the training samples with the highest loss turn out to be wrongly labeled.
- `labels-misaligned`: the validation loss was never below chance level.
- `not-shuffled`: the validation loss depends on which part of the data came last, and shuffling fixes it.
- `train-val-leakage`: the opposite; the validation loss follows the training loss down to values too good
  to be true.

## What not to do
- Train longer: the training loss falls further and the validation loss climbs further.
- Ship the last checkpoint: the best one is at the turn.
- Judge by the gap: a regularized run can have the smaller gap and the worse validation loss.
- Lower the learning rate after the turn: the network memorizes the same samples with smaller steps.
- Add every regularizer at once: the run underfits, and you cannot see which one did it.
- Trust a small turn on a small validation set: it may be chance; use a second seed or k-fold
  cross-validation.
- Tune many settings on one validation set: its best score becomes optimistic; keep an untouched test set.

## References
- Goodfellow, Bengio, Courville: Deep Learning, MIT Press, 2016, sections 5.2 and 7.
- Prechelt: Early Stopping - But When?, in Neural Networks: Tricks of the Trade, Springer, 1998.
- Srivastava, Hinton, Krizhevsky, Sutskever, Salakhutdinov: Dropout: A Simple Way to Prevent Neural Networks
  from Overfitting, JMLR, 2014.
- Loshchilov, Hutter: Decoupled Weight Decay Regularization, ICLR, 2019.
- Guo, Pleiss, Sun, Weinberger: On Calibration of Modern Neural Networks, ICML, 2017.
- Kohavi: A Study of Cross-Validation and Bootstrap for Accuracy Estimation and Model Selection, IJCAI,
  1995.
- Lakshminarayanan, Pritzel, Blundell: Simple and Scalable Predictive Uncertainty Estimation using Deep
  Ensembles, NeurIPS, 2017.
"""

from typing import Annotated

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
from traindx.curves.facts import decays_in_gradient, stated_number
from traindx.curves.failure import failure
from traindx.curves.limits import SMALL, WEAK
from traindx.curves.objective import metric_of
from traindx.facts import DROPOUT, WEIGHT_DECAY
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.objective import Area, Problem
from traindx.quantities import VAL_ACCURACY, VAL_ERROR, VAL_SCORE
from traindx.run import Run
from traindx.signs.chance_level import little_learned, validation_at_chance
from traindx.signs.data import model_dwarfs_data, validation_inputs_differ
from traindx.signs.generalization import (
    both_losses_high,
    confidently_wrong,
    double_descent,
    validation_learns_nothing,
    validation_starts_worse_than_untrained,
)
from traindx.signs.generalization_gap import (
    gap_widens,
    tokens_memorized,
    validation_gap_wide,
    validation_left_behind,
    validation_starts_level,
)
from traindx.signs.loss import loss_diverges, loss_falls
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.validation import validation_improves, validation_never_improves, validation_turns_up

_SCATTER = 1.5
"""Noises of a single score, which a decline must exceed as well; bench/thresholds.md#noises."""


@sign(needs=((VAL_ACCURACY, VAL_SCORE, VAL_ERROR),), severity=Severity.WARNING, problem=Problem.OVERFITS)
def validation_metric_declines(
    run: Run,
    *,
    noises: Annotated[float, "decline over its standard error; bench/thresholds.md#noises"] = 5.0,
    share: Annotated[float, "of all progress lost; bench/thresholds.md#metric-lost"] = 0.1,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """Validation metric that declines after its best."""
    metric = metric_of(run)
    # A network whose weights are no numbers scores at chance: that is no decline of what it learned.
    if metric is None or len(metric) < points or failure(run) is not None:
        return CANNOT_TELL
    decline = metric.end - metric.best
    worth = max(metric.progress, SMALL * metric.size)
    if decline <= max(noises * metric.end_noise, share * worth, _SCATTER * metric.noise):
        return None
    value, best_at = metric.lowest
    name = metric.called if metric.part in metric.called else f"{metric.called} {metric.part}"
    says = f"{name} peaks at {metric.text(value)} ({metric.place(best_at)})"
    says += f" and ends at {metric.text(metric.end)}"
    evidence = metric.evidence((best_at, float(metric.steps[-1])), metric.end, metric.best)
    return Finding(min(1.0, WEAK + decline / worth), says, (evidence,))


_DECAY, _DROPOUT = 0.05, 0.2
"""Weight decay and dropout of the fixes, which would lower larger ones; bench/thresholds.md#doses."""


def _decays_enough(run: Run) -> bool:
    decay = stated_number(run, WEIGHT_DECAY)
    return decays_in_gradient(run) or (decay is not None and decay >= _DECAY)


def _drops_enough(run: Run) -> bool:
    share = stated_number(run, DROPOUT)
    return share is not None and share >= _DROPOUT


CAUSE = Cause(
    slug="overfitting",
    area=Area.FIT,
    title="Overfitting",
    prior=-4.01,
    kind=Kind.HOW,
    clues=(
        Clue(gap_widens, seen=+4.00, group="turn"),
        Clue(validation_left_behind, seen=+3.50, group="turn"),
        Clue(tokens_memorized, seen=+5.50),
        Clue(validation_starts_level, seen=+1.00),
        Clue(little_learned, seen=-1.98),
        Clue(validation_learns_nothing, seen=-2.15),
        Clue(validation_inputs_differ, seen=-1.02),
        Clue(confidently_wrong, seen=-0.48),
        Clue(model_dwarfs_data, seen=+1.42),
        Clue(validation_starts_worse_than_untrained, seen=-2.05),
        Clue(validation_at_chance, seen=-1.51),
        Clue(validation_turns_up, seen=+4.44, unseen=-2.57, group="turn"),
        Clue(validation_metric_declines, seen=+2.94, group="turn"),
        Clue(validation_never_improves, seen=+3.67, group="turn"),
        Clue(validation_gap_wide, seen=+0.83, unseen=-0.42),
        Clue(validation_improves, seen=-0.99),
        Clue(loss_falls, seen=+0.00, unseen=-2.02),
        Clue(double_descent, seen=-3.01),
        Clue(loss_diverges, seen=-2.00),
        Clue(loss_not_finite, seen=-0.50),
    ),
    fixes=(
        Prescription(
            title="Keep the best checkpoint and stop early",
            expect="the kept model has the lowest validation loss of the curve",
            safety=Safety.SAFE,
            not_when="the metric you judge by still improves, or the loss falls a second time",
            before="""\
for epoch in range(epochs):
    train_one_epoch(model, train_loader, optimizer)
    val_loss = evaluate(model, val_loader)""",
            code="""\
best, waited, patience = float("inf"), 0, 5
for epoch in range(epochs):
    train_one_epoch(model, train_loader, optimizer)
    val_loss = evaluate(model, val_loader)
    if val_loss < best:
        best, waited = val_loss, 0
        torch.save(model.state_dict(), "best.pt")
    elif (waited := waited + 1) >= patience:
        break
model.load_state_dict(torch.load("best.pt", weights_only=True))""",
            change="stop.early",
            unless=(double_descent,),
        ),
        Prescription(
            title="Get more data, or augment it without changing labels",
            expect="the validation loss turns later, from a lower minimum",
            safety=Safety.MANUAL,
            not_when="an augmentation can change the label (a mirrored 'b' is a 'd') or never occurs in use",
            before="""\
steps = [v2.ToImage(), v2.ToDtype(torch.float32, scale=True)]
train_data = datasets.CIFAR10("data", train=True, transform=v2.Compose(steps))""",
            code="""\
steps = [v2.ToImage(), v2.ToDtype(torch.float32, scale=True)]
steps += [v2.RandomResizedCrop(size=(32, 32), scale=(0.7, 1.0)), v2.RandomHorizontalFlip()]
train_data = datasets.CIFAR10("data", train=True, transform=v2.Compose(steps))""",
        ),
        Prescription(
            title="Set the weight decay to 0.05 (AdamW)",
            expect="the validation loss climbs less; the training loss ends a bit higher",
            safety=Safety.ASK,
            not_when="the training loss is high, the optimizer is not AdamW, or it has 0.05 or more already",
            code="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)""",
            change="regularize.weight_decay 0.05",
            unless=(both_losses_high, little_learned, _decays_enough),
            before="""\
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)  # weight_decay=0.01""",
        ),
        Prescription(
            title="Add dropout of 0.2 to the wide linear layers",
            expect="the validation loss turns later, from a lower minimum",
            safety=Safety.ASK,
            not_when="batch normalization follows, each sample is seen once, or dropout is 0.2 or more",
            code="""\
model = nn.Sequential(
    nn.Linear(features, 256), nn.ReLU(), nn.Dropout(0.2),
    nn.Linear(256, 256), nn.ReLU(), nn.Dropout(0.2),
    nn.Linear(256, classes),
)""",
            change="regularize.dropout 0.2",
            unless=(_drops_enough,),
            before="""\
model = nn.Sequential(
    nn.Linear(features, 256), nn.ReLU(),
    nn.Linear(256, 256), nn.ReLU(),
    nn.Linear(256, classes),
)""",
        ),
        Prescription(
            title="Train fewer parameters: freeze a pretrained backbone",
            expect="the best validation loss is equal or lower",
            safety=Safety.MANUAL,
            not_when="the backbone is not pretrained, or the whole model has the lower best validation loss",
            before="""\
model.fc = nn.Linear(model.fc.in_features, classes)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)""",
            code="""\
model.requires_grad_(False)  # before the new head, so that only the head trains
model.fc = nn.Linear(model.fc.in_features, classes)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)""",
        ),
        Prescription(
            title="Cross-validate and average the models of the folds",
            expect="on new data the average has a lower loss than the models have on average",
            safety=Safety.MANUAL,
            not_when="k runs are too expensive, or groups or time in the data would leak across folds",
            code="""\
from sklearn.model_selection import KFold

models, losses = [], []
for train_rows, val_rows in KFold(n_splits=5, shuffle=True, random_state=0).split(train_x):
    model = train(train_x[train_rows], train_y[train_rows]).eval()
    losses.append(loss_fn(model(train_x[val_rows]), train_y[val_rows]).item())
    models.append(model)
print(sum(losses) / len(losses), min(losses), max(losses))
with torch.no_grad():
    prediction = torch.stack([model(test_x).softmax(-1) for model in models]).mean(0)""",
        ),
    ),
    experiment=Experiment(
        does="Set aside a random 10% of the training set, train past the turn and evaluate on it too",
        if_true="the loss on the set-aside 10% turns up as well, at about the same step",
        if_false="it follows the training loss and only validation climbs: the data differ",
        steps=WHOLE_RUN,
    ),
    page=__doc__,
    symptoms=(Symptom.GENERALIZES_BADLY,),
    misdiagnoses=(
        Misdiagnosis(says="I need more epochs", blames="too little training"),
        Misdiagnosis(says="I need to tune the hyperparameters", blames="some setting, to be found by search"),
    ),
    places=(facts.VALIDATION_PLACE, facts.OPTIMIZER_PLACE),
)
