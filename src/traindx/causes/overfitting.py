"""Overfitting.

## What happens
The network has learnt what the training examples share and now learns what is peculiar to each of them:
noise, wrong labels, accidents of sampling. The training loss rewards that, the validation loss pays for it.
It happens when the model can store the training set, the set is small or repeated many times, and nothing
holds the weights back.

A gap between the two losses is not overfitting. Every network that learns has one, and it may grow while
the validation loss still falls. The illness begins where the validation loss itself turns.

The loss and the metric need not turn together. Cross-entropy punishes confident mistakes, so the validation
loss often climbs while the accuracy still holds or improves. Decide by the number the model will be judged
by.

The remedies act in this order of price: stop at the best checkpoint; weight decay (0.01 to 0.1 with AdamW)
and dropout (0.1 to 0.3, up to 0.5 in wide fully connected layers); augmentation (pictures: crops, flips,
colours; text: synonyms, back-translation; tables: a little noise); a smaller or a pretrained model; more
data, which is the best and the dearest. When they are spent, averaging several models trained with
different seeds still lowers the validation loss.

## What you see
The validation loss falls, reaches its lowest point, turns, and climbs by more than its own scatter,
evaluation after evaluation, while the training loss goes on down towards zero. With a few hundred examples
the turn comes within a few epochs; in fine-tuning often during the second or third epoch, with the training
loss dropping one stair at each epoch boundary. Training accuracy approaches 100 %, validation accuracy
stops or slides.

## Often confused with
- `train-val-mismatch`: the validation loss is bad from the first evaluation and never improves; overfitting
  improves first and turns later.
- `double-descent`: the climb ends and the validation loss falls a second time, after the training loss is
  near zero; until then the two look the same.
- `train-eval-mode-bug`: the training examples themselves score badly in evaluation mode; an overfitted
  network scores perfectly on them.
- `lr-too-high`: the training loss turns up together with the validation loss.
- `label-noise`: the training examples with the highest loss are wrongly labelled when you look at twenty of
  them.
- `labels-misaligned`: the validation loss was never below chance.
- `not-shuffled`: the validation loss depends on which part of the data came last, and shuffling cures it.
- `train-val-leakage`: the mirror image, a validation loss that follows the training loss down to values too
  good to be true.

## What not to do
- Training longer: the training loss falls further and the validation loss climbs further.
- Shipping the last checkpoint: the best one lies at the turn, and everything after it is a worse model.
- Judging by the gap: a regularised run can have the smaller gap and the worse validation loss; compare
  validation losses only.
- Lowering the learning rate after the turn: the network memorises the same examples with smaller steps.
- Adding dropout, weight decay, augmentation and a smaller model at once: the run underfits and you cannot
  tell which of them did it.
- Believing a turn of a few percent on a few hundred validation samples: it may be chance, and k-fold
  cross-validation or a second seed tells.
- Choosing among many settings by one validation set: its best score becomes optimistic, so keep a test set
  that is looked at once.

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
from traindx.cause import Cause, Clue, Experiment, Kind, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.curve import curve_of
from traindx.curves.failure import failure
from traindx.curves.limits import SMALL, WEAK
from traindx.curves.series import whole
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.quantities import VAL_ACCURACY, VAL_ERROR, VAL_SCORE
from traindx.run import Run
from traindx.signs.chance import little_learned, validation_at_chance
from traindx.signs.data import model_dwarfs_data, validation_inputs_differ
from traindx.signs.generalization import (
    confidently_wrong,
    double_descent,
    validation_learns_nothing,
    validation_starts_worse_than_untrained,
)
from traindx.signs.loss import loss_diverges, loss_falls
from traindx.signs.nonfinite import loss_not_finite
from traindx.signs.validation import (
    validation_gap_wide,
    validation_improves,
    validation_never_improves,
    validation_turns_up,
)

_SCATTER = 1.5
"""Noises of a single score, which a decline must exceed as well; bench/thresholds.md#noises."""


@sign(needs=((VAL_ACCURACY, VAL_SCORE, VAL_ERROR),), severity=Severity.WARNING)
def validation_metric_declines(
    run: Run,
    *,
    noises: Annotated[float, "decline over its standard error; bench/thresholds.md#noises"] = 5.0,
    share: Annotated[float, "of all progress lost; bench/thresholds.md#metric-lost"] = 0.1,
    points: Annotated[int, "fewest points; bench/thresholds.md#few-points"] = 6,
) -> Answer:
    """The validation metric declines beyond its noise after its best."""
    quantity = next(one for one in (VAL_ACCURACY, VAL_SCORE, VAL_ERROR) if one in run)
    parts = [curve_of(series) for series in run.all(quantity) if len(series) >= points]
    metric = curve_of(whole(run, quantity)) if not parts else parts[0]
    # A network whose weights are no numbers scores at chance: that is no decline of what it learned.
    if len(metric) < points or failure(run) is not None:
        return CANNOT_TELL
    decline = metric.end - metric.best
    worth = max(metric.progress, SMALL * metric.size)
    if decline <= max(noises * metric.end_noise, share * worth, _SCATTER * metric.noise):
        return None
    value, best_at = metric.lowest
    name = metric.called if metric.part in metric.called else f"{metric.called} {metric.part}"
    says = f"the {name} is best ({metric.text(value)}) at {metric.place(best_at)}"
    says += f" and ends around {metric.text(metric.end)}"
    evidence = metric.evidence((best_at, float(metric.steps[-1])), metric.end, metric.best)
    return Finding(min(1.0, WEAK + decline / worth), says, (evidence,))


CAUSE = Cause(
    slug="overfitting",
    title="Overfitting",
    prior=-4.01,
    kind=Kind.HOW,
    clues=(
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
            title="Keep the checkpoint with the best validation loss and stop a few evaluations after it",
            expect="the kept model has the lowest validation loss of the curve; the run ends soon after it",
            safety=Safety.SAFE,
            not_when="the validation set is so small that its best point is luck, or the loss falls again",
            before="""\
for epoch in range(epochs):
    train_one_epoch(model, train_loader, optimizer)
    val_loss = evaluate(model, val_loader)  # printed, and used for nothing
torch.save(model.state_dict(), "last.pt")""",
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
        ),
        Prescription(
            title="Get more data, or augment it with changes that keep the label true",
            expect="the training loss falls more slowly; the validation loss turns later, from a lower best",
            safety=Safety.MANUAL,
            not_when="an augmentation can change the label (a mirrored 'b' is a 'd') or never occurs in use",
            code="""\
from torchvision.transforms import v2

augment = v2.Compose([
    v2.RandomResizedCrop(size=(32, 32), scale=(0.7, 1.0), antialias=True),
    v2.RandomHorizontalFlip(),
    v2.ColorJitter(brightness=0.2, contrast=0.2),
])
train_data = datasets.CIFAR10("data", train=True, transform=v2.Compose([v2.ToImage(), augment, scale]))
val_data = datasets.CIFAR10("data", train=False, transform=v2.Compose([v2.ToImage(), scale]))""",
        ),
        Prescription(
            title="Decay the weights, with AdamW",
            expect="the training loss ends a little higher; the validation loss climbs less after its best",
            safety=Safety.ASK,
            not_when="the training loss is still far from zero: then the run underfits",
            code="""\
decayed = [p for p in model.parameters() if p.dim() >= 2]
plain = [p for p in model.parameters() if p.dim() < 2]  # biases and norms
optimizer = torch.optim.AdamW(
    [{"params": decayed, "weight_decay": 0.05}, {"params": plain, "weight_decay": 0.0}], lr=1e-3
)""",
            change="regularize.weight_decay 0.05",
        ),
        Prescription(
            title="Add dropout of 0.1 to 0.3 before the wide linear layers",
            expect="the logged training loss is higher; the validation loss turns later, from a lower best",
            safety=Safety.ASK,
            not_when="batch normalisation follows the dropout, or each example is seen only once",
            code="""\
model = nn.Sequential(
    nn.Linear(features, 256), nn.ReLU(), nn.Dropout(0.2),
    nn.Linear(256, 256), nn.ReLU(), nn.Dropout(0.2),
    nn.Linear(256, classes),
)""",
            change="regularize.dropout 0.2",
        ),
        Prescription(
            title="Train fewer parameters: a smaller model, or a pre-trained one with its lower part frozen",
            expect="the training loss ends higher, the best validation loss is the same or lower",
            safety=Safety.MANUAL,
            not_when="the larger model has the lower best validation loss: compare bests, not gaps",
            code="""\
model.requires_grad_(False)
model.fc = nn.Linear(model.fc.in_features, classes)  # the new head trains
optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)""",
        ),
        Prescription(
            title="Cross-validate: judge settings by the mean over the folds, and average the models",
            expect="on new data the average of the models has a lower loss than each of them",
            safety=Safety.MANUAL,
            not_when="k trainings are too dear, or groups or time in the data would leak over the folds",
            code="""\
from sklearn.model_selection import KFold

models, losses = [], []
for train_rows, val_rows in KFold(n_splits=5, shuffle=True, random_state=0).split(train_x):
    model = train(train_x[train_rows], train_y[train_rows]).eval()
    losses.append(loss_fn(model(train_x[val_rows]), train_y[val_rows]).item())
    models.append(model)
print(sum(losses) / len(losses), min(losses), max(losses))
prediction = torch.stack([model(test_x).softmax(-1) for model in models]).mean(0)""",
        ),
    ),
    experiment=Experiment(
        does="Hold out a random tenth of the training set, train past the turn and evaluate on it as well",
        if_true="the loss on the held-out tenth turns up as well, at about the same step",
        if_false="the held-out tenth follows the training loss, only validation climbs: the data differ",
        minutes=30,
    ),
    page=__doc__,
    symptoms=(Symptom.GENERALISES_BADLY,),
    misdiagnoses=(
        Misdiagnosis(says="I need more epochs", blames="too little training"),
        Misdiagnosis(says="I need to tune the hyperparameters", blames="some setting, to be found by search"),
    ),
    places=(facts.VALIDATION_PLACE, facts.OPTIMIZER_PLACE),
)
