"""Loss does not fit the target.

The loss function is made for another kind of target than the one in the data.

## What happens
Class indices in a regression loss. `MSELoss` or `L1Loss` on labels 0 to 9 treats them as quantities: with
squared error, confusing class 9 with class 1 costs 64x as much as confusing 2 with 1. If the network cannot
decide between 1 and 9, its best output is 5, a class unrelated to either. The loss falls, because some of
the order can be learned, but the rounded output is a poor classifier.

Binary cross-entropy on mutually exclusive classes. `BCEWithLogitsLoss` on one-hot rows trains `C` separate
detectors. Predicting the class frequencies for every sample already gives a loss of 0.33 for 10 classes and
0.008 for 1,000, which looks like success. It can be made to work, and has been on purpose, but it needs its
own learning rate and starts slowly, because averaging over all entries divides the gradient of the true
class by `C`. The reverse is worse: softmax cross-entropy over classes of which several can be true makes
them compete, and at best each of `k` true classes gets `1 / k`.

Other cases: squared error on heavy-tailed targets, where a few samples dominate the loss; on counts or
prices over several orders of magnitude without a logarithm; a distance between angles that ignores the
wrap-around.

## What you see
The loss falls and levels off, and the metric you care about does not follow. Predictions cluster in the
middle of the class indices, a confusion matrix shows errors around the diagonal, or accuracy stays at the
most frequent class while the loss is tiny. The first loss is a hint: near 0.69 with more than two classes
points to binary cross-entropy; near the mean square of the labels (28.5 for 0 to 9) points to squared
error.

## Often confused with
- `wrong-output-activation`: the loss is right, but its input has the wrong range.
- `target-shape-broadcast`: the loss is right, but shapes (N, 1) and (N,) broadcast in it.
- `class-imbalance`: the loss is right, and classes are ignored because they are rare.
- `misleading-metric`: the loss is right and falls, and the metric is computed wrongly.
- `unnormalized-targets`: the targets are real quantities, only large.
- `capacity-too-small`: a wider model ends lower; here it ends at the same poor result.

## What not to do
- Round the output to a class and tune on: the classes have no order to learn.
- Weight binary cross-entropy by class count: use cross-entropy, which states the problem.
- Compare different losses by their value: 0.03 of one may be worse than 1.2 of another; compare accuracy.
- Widen the network: it solves the wrong problem more precisely.
- Treat squared error on one-hot rows as a bug: it is a legitimate choice; on class indices it is not.

## References
- Bishop: Pattern Recognition and Machine Learning, 2006, sections 4.3 and 5.2.
- Goodfellow, Bengio, Courville: Deep Learning, MIT Press, 2016, section 6.2, cost functions and output
  units.
- Hui, Belkin: Evaluation of Neural Architectures Trained with Square Loss vs Cross-Entropy in
  Classification Tasks, 2021.
- Wightman, Touvron, Jégou: ResNet Strikes Back, 2021, binary cross-entropy on ImageNet, on purpose.
- PyTorch documentation: torch.nn, Loss Functions.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import compares_numbers, fact_evidence, stated_number, stated_word
from traindx.curves.limits import MISTAKE
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE, OUTPUT_ACTIVATION, OUTPUTS, TRUE_CLASSES
from traindx.finding import Answer, Finding, Severity, sign
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.chance_level import little_learned
from traindx.signs.loss import loss_plateaus
from traindx.signs.targets import class_labels_in_regression_loss

_BCE = ("binary_cross_entropy", "binary_crossentropy")


@sign(
    needs=(LOSS_FUNCTION, OUTPUT_ACTIVATION),
    severity=Severity.WARNING,
    formerly="yes_no_loss_on_exclusive_classes",
)
def bce_on_exclusive_classes(run: Run) -> Answer:
    """Softmax output in a binary cross-entropy."""
    loss, activation = stated_word(run, LOSS_FUNCTION), stated_word(run, OUTPUT_ACTIVATION)
    outputs = stated_number(run, OUTPUTS)
    if loss not in _BCE or activation != "softmax" or outputs is None or outputs <= 2:
        return None
    says = f"softmax over {outputs:g} exclusive classes goes into `{loss}`, which treats each as independent"
    return Finding(1.0, says, (fact_evidence(run, LOSS_FUNCTION, LOSS_PLACE),))


@sign(needs=(LOSS_FUNCTION, TRUE_CLASSES), severity=Severity.SERIOUS, healthy=MISTAKE)
def several_classes_true(run: Run) -> Answer:
    """Targets with several true classes go into a loss for exactly one."""
    most = stated_number(run, TRUE_CLASSES) or 0.0
    if most <= 1:
        return None
    says = (
        f"up to {most:g} classes are true of one sample, but `{run.facts[LOSS_FUNCTION]}` expects exactly one"
    )
    return Finding(1.0, says, (fact_evidence(run, TRUE_CLASSES, LOSS_PLACE, limit=1.0),))


def _has_one_true_class(run: Run) -> bool:
    return (stated_number(run, TRUE_CLASSES) or 1) <= 1


def _has_several_true_classes(run: Run) -> bool:
    return not _has_one_true_class(run)


def _uses_bce(run: Run) -> bool:
    return stated_word(run, LOSS_FUNCTION) in (*_BCE, "binary_cross_entropy_with_logits")


CAUSE = Cause(
    slug="loss-mismatch",
    area=Area.TARGETS,
    title="Loss does not fit the target type",
    prior=-4.34,
    clues=(
        Clue(little_learned, seen=+0.44, unseen=-0.75),
        Clue(class_labels_in_regression_loss, seen=+9.45, unseen=-0.95),
        Clue(bce_on_exclusive_classes, seen=+7.50),
        Clue(several_classes_true, seen=+9.00),
        Clue(loss_plateaus, seen=+0.43),
    ),
    fixes=(
        Prescription(
            title="Use cross-entropy with one output per class",
            expect="the loss starts near ln(C), and accuracy passes the old run in an epoch",
            safety=Safety.MANUAL,
            not_when="the labels are quantities or ordered grades, or the loss is binary cross-entropy",
            before="""\
model = torch.nn.Sequential(torch.nn.Linear(features, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
loss = torch.nn.functional.mse_loss(model(x).squeeze(-1), y.float())  # y: class indices""",
            code="""\
model = torch.nn.Sequential(torch.nn.Linear(features, 64), torch.nn.ReLU(), torch.nn.Linear(64, classes))
loss = torch.nn.functional.cross_entropy(model(x), y.long())""",
            unless=(_uses_bce, _has_several_true_classes),
        ),
        Prescription(
            title="Replace binary cross-entropy by cross-entropy",
            expect="accuracy passes the share of the largest class in the first epoch",
            safety=Safety.MANUAL,
            not_when="several classes can be true of one sample, or none; or the loss is a regression loss",
            before="""\
target = torch.nn.functional.one_hot(y, classes).float()
loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x), target)""",
            code="""\
loss = torch.nn.functional.cross_entropy(model(x), y)""",
            unless=(compares_numbers, _has_several_true_classes),
        ),
        Prescription(
            title="For multi-label targets use binary cross-entropy",
            expect="classes that occur together are predicted together",
            safety=Safety.ASK,
            not_when="exactly one class is true of each sample, or the loss is already binary cross-entropy",
            before="""\
loss = torch.nn.functional.cross_entropy(model(x), multi_hot.float())""",
            code="""\
loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x), multi_hot.float())""",
            change="loss.use bce",
            unless=(compares_numbers, _uses_bce, _has_one_true_class),
        ),
        Prescription(
            title="For heavy-tailed targets use the Huber loss",
            expect="the largest 1% of errors is no longer most of the loss",
            safety=Safety.MANUAL,
            not_when="the targets are classes, or the mean is wanted, tails included",
            code="""\
loss = torch.nn.functional.huber_loss(model(x).squeeze(-1), y)  # delta: a typical error, default 1.0""",
            unless=(class_labels_in_regression_loss, _uses_bce),
            before="""\
loss = torch.nn.functional.mse_loss(model(x).squeeze(-1), y)""",
        ),
    ),
    experiment=Experiment(
        does="Write down what a target is (one class, several, a quantity) and read the docs of the loss",
        if_true="class indices go into a regression loss, or one-hot rows into binary cross-entropy",
        if_false="the loss is made for this kind of target",
        steps=0,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.PLATEAU, Symptom.LYING_NUMBERS, Symptom.SLOW),
    misdiagnoses=(
        Misdiagnosis(says="I need to tune the hyperparameters", blames="some setting, to be found by search"),
    ),
    places=(facts.LOSS_PLACE,),
)
