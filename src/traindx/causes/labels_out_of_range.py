"""Labels out of range.

## What happens
A target lies outside of what the loss function is defined for. For `C` outputs the classes are 0 to
`C - 1`; data comes with 1 to `C`, with -1 for "unknown", with 255 for "border" (segmentation masks), with
gaps because classes were removed and the numbers kept, with one class more than the model was built for, or
as text that was numbered separately in training and validation. For yes-no losses a target is 0, 1 or a
share between.

What happens then depends on the place. On the CPU PyTorch stops: "IndexError: Target 10 is out of bounds."
On a GPU the kernel fails, and the message is "CUDA error: device-side assert triggered", reported at some
later call, often far from the loss; after that every further GPU call of the process fails too. TensorFlow
on a GPU gives NaN. An embedding with a token number beyond its table fails in the same ways. Two cases say
nothing at all: `ignore_index` is -100 by default, so labels of -100 are left out, and a batch of nothing
else gives NaN, zero divided by zero; and `BCEWithLogitsLoss` takes a target of 2 without complaint, whose
loss has no lower end and falls below zero for ever.

Labels of 1 to `C` on a model with `C + 1` outputs do no harm beyond one class that is never used.

## What you see
The program stops at the first batch, or at the first one that holds the rare bad label, which with
shuffling is at another step in each run. Or the loss is NaN in single steps, while inputs and weights are
finite. Or a yes-no loss goes below zero. Nothing in the curve before announces it.

## Often confused with
- `non-finite-inputs`: inputs or targets hold NaN; here they are finite integers.
- `unstable-loss-function`: the NaN comes from the predictions, with legal targets.
- `labels-misaligned`: all labels are legal, and belong to other inputs.
- `loss-sign-or-reduction`: the loss is below zero because it is negated, with legal targets.
- `half-precision-overflow`: in float32 on the CPU the program runs.

## What not to do
- Clamping the labels into range: samples of the unknown class become samples of the last one.
- Catching the exception and skipping the batch: on a GPU the process is lost, and elsewhere a class goes
  unseen.
- Adding outputs until it runs: the numbers then fit by accident, and a class "unknown" is learned.
- Searching at the line of a CUDA error: calls are asynchronous; run on the CPU, or with
  CUDA_LAUNCH_BLOCKING=1.
- Subtracting one without looking: where a 0 exists it becomes -1.

## References
- PyTorch documentation: CrossEntropyLoss, ignore_index and the range of class indices; BCEWithLogitsLoss.
- PyTorch documentation: CUDA semantics, asynchronous execution and CUDA_LAUNCH_BLOCKING.
- TensorFlow documentation: tf.nn.sparse_softmax_cross_entropy_with_logits, labels outside of the range.
- Everingham and others: The Pascal Visual Object Classes Challenge, 2010, the border label 255.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.facts import fact_evidence, is_recording
from traindx.facts import LOSS_PLACE, UNUSED_CLASS
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.run import Run
from traindx.signs.data import labels_faulty


@sign(needs=())
def first_class_unused(run: Run) -> Answer:
    """The first output stands for a class that no target names."""
    unused = run.facts.get(UNUSED_CLASS)
    if not isinstance(unused, str) or not unused:
        return None if is_recording(run) else CANNOT_TELL
    return Finding(1.0, unused, (fact_evidence(run, UNUSED_CLASS, LOSS_PLACE),))


CAUSE = Cause(
    slug="labels-out-of-range",
    title="Labels lie outside of what the loss allows",
    prior=-4.53,
    clues=(
        Clue(labels_faulty, seen=+10.56, unseen=-3.11),
        Clue(first_class_unused, seen=+3.00),
    ),
    fixes=(
        Prescription(
            title="Number the classes from 0 without gaps, with one mapping for all sets",
            expect="the program passes the batch it stopped at, and the first loss is near ln(C)",
            safety=Safety.MANUAL,
            not_when="the labels are amounts and not classes",
            before="""\
y = torch.tensor(frame["label"].to_numpy())  # 1 to 10, or with gaps
loss = torch.nn.functional.cross_entropy(model(x), y)""",
            code="""\
classes = sorted(set(frame["label"]))  # of the training set; save it with the model
number = {name: index for index, name in enumerate(classes)}
y = torch.tensor([number[name] for name in frame["label"]])
loss = torch.nn.functional.cross_entropy(model(x), y)  # model with len(classes) outputs""",
        ),
        Prescription(
            title="Tell the loss which number means: do not count this",
            expect="the loss is finite, and only labelled entries count",
            safety=Safety.MANUAL,
            not_when="the number stands for a class of its own",
            before="""\
loss = torch.nn.functional.cross_entropy(scores, mask)  # 255 marks the border""",
            code="""\
loss = torch.nn.functional.cross_entropy(scores, mask, ignore_index=255)""",
        ),
        Prescription(
            title="Check the labels once where the data is read",
            expect="the check names the bad label and its row before the training begins",
            safety=Safety.SAFE,
            not_when="never: it costs one pass over the labels",
            code="""\
bad = [row for row, label in enumerate(labels) if not 0 <= label < classes]
if bad:
    raise ValueError(f"{len(bad)} labels outside 0..{classes - 1}, the first in row {bad[0]}")""",
        ),
    ),
    experiment=Experiment(
        does="Print smallest and largest label and the number of outputs, and run one batch on the CPU",
        if_true="a label is below 0 or not below the number of outputs, and the CPU names it",
        if_false="all labels are legal for the loss",
        minutes=1,
    ),
    page=__doc__,
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.CRASHES, Symptom.NOT_FINITE),
    misdiagnoses=(Misdiagnosis(says="CUDA or my GPU is broken", blames="the driver or the hardware"),),
    places=(facts.LOSS_PLACE, facts.LOADER_PLACE),
)
