"""Loss does not fit the target.

## What happens
The loss function answers another question than the one asked. Two are common.

Class numbers fed to a loss for numbers. `MSELoss` or `L1Loss` on the labels 0 to 9 treats them as amounts:
taking class 9 for class 1 costs 64 times as much as taking 2 for 1, and where the network cannot decide
between 1 and 9 its best answer is 5, a class that has nothing to do with either. The loss falls, because
some of the order can be learned, and the rounded output is a poor class.

A loss of independent yes and no on classes that exclude each other. `BCEWithLogitsLoss` on one-hot rows
trains `C` separate detectors. Answering no to everything is right in `C - 1` of `C` entries: the loss of
that guess is 0.33 for 10 classes and 0.008 for 1,000, which looks like success. It can be made to work, and
has been on purpose, but needs its own rate and starts slowly, because the mean over all entries makes the
one that matters `C` times lighter. The reverse is worse: cross-entropy over classes of which several can be
true makes them compete, and each can reach at most its share.

More of the kind: a squared error on targets with heavy tails, where a few samples are the whole loss; on
counts or prices over several powers of ten without a logarithm; a distance on angles that ignores the wrap.

## What you see
The loss falls and levels off, and what you care about does not follow it: predictions cluster in the middle
of the class numbers, a confusion matrix shows errors around the diagonal, or accuracy stays at the most
frequent class while the loss is tiny. The number itself is a hint: a first loss near 0.69 with more than
two classes is a yes-no loss; one near the mean square of the labels (28.5 for 0 to 9) is a loss for
numbers.

## Often confused with
- `wrong-output-activation`: the kind of loss is right, and its input has the wrong range.
- `target-shape-broadcast`: the loss is right, and shapes (N, 1) and (N,) meet in it.
- `class-imbalance`: the loss is right, and rare classes are ignored because they are rare.
- `misleading-metric`: the loss is right and falls, and the metric is computed wrongly.
- `unnormalized-targets`: targets are true numbers, only large.
- `capacity-too-small`: a wider model ends lower; here it ends at the same useless answer.

## What not to do
- Rounding the output and tuning on: the order of the classes was never there.
- Adding a weight of `C` to the yes-no loss until it learns: state the question instead, with cross-entropy.
- Comparing losses of different kinds by value: 0.03 of one may be worse than 1.2 of the other; compare
  accuracy.
- Widening the network: it will answer the wrong question more precisely.
- Taking every squared error on classes for a fault: on one-hot rows it is a legitimate choice; on class
  numbers it is not.

## References
- Bishop: Pattern Recognition and Machine Learning, 2006, sections 4.3 and 5.2.
- Goodfellow, Bengio, Courville: Deep Learning, MIT Press, 2016, section 6.2, cost functions and output
  units.
- Hui, Belkin: Evaluation of Neural Architectures Trained with Square Loss vs Cross-Entropy in
  Classification Tasks, 2021.
- Wightman, Touvron, Jégou: ResNet Strikes Back, 2021, a yes-no loss on ImageNet, on purpose.
- PyTorch documentation: torch.nn, Loss Functions.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom
from traindx.curves.facts import fact_evidence, stated_number, stated_word
from traindx.facts import LOSS_FUNCTION, LOSS_PLACE, OUTPUT_ACTIVATION, OUTPUTS
from traindx.finding import Answer, Finding, Severity, sign
from traindx.run import Run
from traindx.signs.chance import little_learned
from traindx.signs.loss import loss_plateaus
from traindx.signs.targets import class_labels_in_regression_loss

_YES_NO = ("binary_cross_entropy", "binary_crossentropy")


@sign(
    needs=(LOSS_FUNCTION, OUTPUT_ACTIVATION),
    severity=Severity.WARNING,
    formerly="yes_no_loss_on_exclusive_classes",
)
def bce_on_exclusive_classes(run: Run) -> Answer:
    """A softmax over several classes enters a loss that asks each class for yes or no."""
    loss, given = stated_word(run, LOSS_FUNCTION), stated_word(run, OUTPUT_ACTIVATION)
    outputs = stated_number(run, OUTPUTS)
    if loss not in _YES_NO or given != "softmax" or outputs is None or outputs <= 2:
        return None
    says = f"a softmax over {outputs:g} classes enters {loss}, which asks each of them for yes or no"
    return Finding(1.0, says, (fact_evidence(run, LOSS_FUNCTION, LOSS_PLACE),))


CAUSE = Cause(
    slug="loss-mismatch",
    title="The loss does not fit the kind of target",
    prior=-4.34,
    clues=(
        Clue(little_learned, seen=+0.44, unseen=-0.75),
        Clue(class_labels_in_regression_loss, seen=+9.45, unseen=-0.95),
        Clue(bce_on_exclusive_classes, seen=+7.50),
        Clue(loss_plateaus, seen=+0.43),
    ),
    fixes=(
        Prescription(
            title="Use cross-entropy, with one output per class and the labels as integers",
            expect="the loss starts near ln(C), and accuracy rises above that of the old run within an epoch",
            safety=Safety.MANUAL,
            not_when="the numbers are amounts or ordered grades: then a loss for numbers is right",
            before="""\
model = torch.nn.Sequential(torch.nn.Linear(features, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
loss = torch.nn.functional.mse_loss(model(x).squeeze(-1), y.float())  # y holds class numbers""",
            code="""\
model = torch.nn.Sequential(torch.nn.Linear(features, 64), torch.nn.ReLU(), torch.nn.Linear(64, classes))
loss = torch.nn.functional.cross_entropy(model(x), y.long())""",
        ),
        Prescription(
            title="Where exactly one class is true, exchange the yes-no loss for cross-entropy",
            expect="accuracy leaves the share of the largest class within the first epoch",
            safety=Safety.MANUAL,
            not_when="several classes can be true of one sample, or none",
            before="""\
target = torch.nn.functional.one_hot(y, classes).float()
loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x), target)""",
            code="""\
loss = torch.nn.functional.cross_entropy(model(x), y)""",
        ),
        Prescription(
            title="Where several classes can be true, use one yes-no loss per class",
            expect="classes that occur together are predicted together",
            safety=Safety.MANUAL,
            not_when="exactly one class is true of each sample",
            before="""\
loss = torch.nn.functional.cross_entropy(model(x), several_hot)""",
            code="""\
loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x), several_hot.float())""",
        ),
        Prescription(
            title="For targets over several powers of ten, or with heavy tails, use logarithm and Huber loss",
            expect="the loss no longer hangs on a few samples, and the median relative error falls",
            safety=Safety.MANUAL,
            not_when="the mean of the target is what is wanted, tails included",
            code="""\
target = torch.log1p(y)  # a prediction is torch.expm1(model(x))
loss = torch.nn.functional.huber_loss(model(x).squeeze(-1), target)""",
        ),
    ),
    experiment=Experiment(
        does="Write down what a target may be (one class, several, an amount) and read the loss's page",
        if_true="integers of few values enter a loss for numbers, or one-hot rows a loss of yes and no",
        if_false="kind of target and kind of loss agree",
        minutes=1,
    ),
    page=__doc__,
    acts_through=("underfitting",),
    symptoms=(Symptom.PLATEAU, Symptom.LYING_NUMBERS, Symptom.SLOW),
    misdiagnoses=(
        Misdiagnosis(says="I need to tune the hyperparameters", blames="some setting, to be found by search"),
    ),
    places=(facts.LOSS_PLACE,),
)
