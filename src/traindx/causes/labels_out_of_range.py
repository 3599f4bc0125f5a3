"""Labels out of range.

A target is outside the range that the loss function accepts for this model.

## What happens
For `C` outputs the valid class indices are 0 to `C - 1`. Data comes with 1 to `C`, with -1 for "unknown",
with 255 for "border" (segmentation masks), with gaps because classes were removed but not renumbered, with
one class more than the model was built for, or with text labels that were numbered separately in training
and validation. For binary cross-entropy a target must be between 0 and 1.

The effect depends on the device. On the CPU PyTorch raises "IndexError: Target 10 is out of bounds." On a
GPU the kernel fails with "CUDA error: device-side assert triggered", reported at some later call, often far
from the loss; after that every GPU call of the process fails. TensorFlow on a GPU returns NaN. An embedding
with a token id beyond its table fails in the same ways. Two cases raise no error. `ignore_index` is -100 by
default, so labels of -100 are skipped, and a batch that contains nothing else gives NaN (zero divided by
zero). And `BCEWithLogitsLoss` accepts a target of 2, whose loss is unbounded below and falls below zero
without end.

Labels of 1 to `C` on a model with `C + 1` outputs are harmless: one class is never used.

## What you see
The program crashes at the first batch, or at the first batch with the rare bad label; with shuffling that
is a different step in each run. Or the loss is NaN at single steps while inputs and weights are finite. Or
a binary cross-entropy goes below zero. The curve gives no warning before it happens.

## Often confused with
- `non-finite-inputs`: inputs or targets contain NaN; here they are finite.
- `unstable-loss-function`: the NaN comes from the predictions, with valid targets.
- `labels-misaligned`: all labels are valid but belong to other inputs.
- `loss-sign-or-reduction`: the loss is below zero because it is negated, with valid targets.
- `half-precision-overflow`: the program runs in float32 on the CPU.

## What not to do
- Clamp the labels into range: samples of an unknown class become samples of the last one.
- Catch the exception and skip the batch: on a GPU the process is lost, and otherwise a class is never
  learned.
- Add outputs until it runs: a class "unknown" is then learned by accident.
- Trust the line of a CUDA error: calls are asynchronous; run on the CPU or with CUDA_LAUNCH_BLOCKING=1.
- Subtract 1 without looking: a label 0 becomes -1.

## References
- PyTorch documentation: CrossEntropyLoss, ignore_index and the range of class indices; BCEWithLogitsLoss.
- PyTorch documentation: CUDA semantics, asynchronous execution and CUDA_LAUNCH_BLOCKING.
- TensorFlow documentation: tf.nn.sparse_softmax_cross_entropy_with_logits, labels outside of the range.
- Everingham and others: The Pascal Visual Object Classes Challenge, 2010, the border label 255.
"""

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.facts import compares_numbers, fact_evidence, is_recording, stated_number, stated_word
from traindx.facts import COUNTED_TARGETS, LOSS_FUNCTION, LOSS_PLACE, LOWEST_LABEL, UNUSED_CLASS
from traindx.finding import CANNOT_TELL, Answer, Finding, sign
from traindx.objective import Area
from traindx.run import Run
from traindx.signs.data import labels_faulty


@sign(needs=())
def first_class_unused(run: Run) -> Answer:
    """An output class that no label uses."""
    unused = run.facts.get(UNUSED_CLASS)
    if not isinstance(unused, str) or not unused:
        return None if is_recording(run) else CANNOT_TELL
    return Finding(1.0, unused, (fact_evidence(run, UNUSED_CLASS, LOSS_PLACE),))


def _starts_elsewhere(run: Run) -> bool:
    return stated_number(run, LOWEST_LABEL) != 1


def _are_no_signs(run: Run) -> bool:
    return stated_number(run, LOWEST_LABEL) != -1


def _chooses_none(run: Run) -> bool:
    return compares_numbers(run) or stated_word(run, LOSS_FUNCTION).startswith("binary_")


def _counts_nothing(run: Run) -> bool:
    return not stated_word(run, LOSS_FUNCTION).startswith("poisson")


def _none_counts(run: Run) -> bool:
    return stated_number(run, COUNTED_TARGETS) == 0


def _some_count(run: Run) -> bool:
    return not _none_counts(run)


CAUSE = Cause(
    slug="labels-out-of-range",
    area=Area.TARGETS,
    title="Labels out of range for the loss",
    prior=-4.53,
    clues=(
        Clue(labels_faulty, seen=+10.56, unseen=-3.11),
        Clue(first_class_unused, seen=+3.00),
    ),
    fixes=(
        Prescription(
            title="Subtract 1 from labels that start at 1",
            expect="the batch that crashed passes, and the first loss is near ln(C)",
            safety=Safety.ASK,
            not_when="a label 0 occurs, or the model should have one more output",
            before="""\
loss = torch.nn.functional.cross_entropy(model(x), y)  # labels 1 to C""",
            code="""\
loss = torch.nn.functional.cross_entropy(model(x), y - 1)""",
            change="targets.start_at_zero",
            unless=(_starts_elsewhere,),
        ),
        Prescription(
            title="Map targets -1 and 1 to 0 and 1",
            expect="the loss is never negative, and accuracy rises",
            safety=Safety.ASK,
            not_when="the loss is made for -1 and 1, such as the hinge loss",
            before="""\
loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x), y)  # y: -1 or 1""",
            code="""\
loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x), (y + 1) / 2)""",
            change="targets.start_at_zero",
            unless=(_are_no_signs,),
        ),
        Prescription(
            title="Use a loss for real numbers: a Poisson loss is for counts",
            expect="the loss stops falling without a floor, and predictions span the targets",
            safety=Safety.ASK,
            not_when="the targets are counts that were standardized: undo that instead",
            before="""\
loss = torch.nn.functional.poisson_nll_loss(model(x), y)  # y: below 0 as well""",
            code="""\
loss = torch.nn.functional.mse_loss(model(x), y)""",
            change="loss.use mse",
            unless=(_counts_nothing,),
        ),
        Prescription(
            title="Number the classes from 0 without gaps, once for all sets",
            expect="the batch that crashed passes, and the first loss is near ln(C)",
            safety=Safety.MANUAL,
            not_when="the labels are quantities, not classes",
            unless=(_none_counts, _chooses_none),
            before="""\
y = torch.tensor(frame["label"].to_numpy())  # 1 to 10, or with gaps
loss = torch.nn.functional.cross_entropy(model(x), y)""",
            code="""\
classes = sorted(set(train_frame["label"]))  # save it with the model
index_of = {name: index for index, name in enumerate(classes)}
y = torch.tensor([index_of[name] for name in frame["label"]])
loss = torch.nn.functional.cross_entropy(model(x), y)  # the model has len(classes) outputs""",
        ),
        Prescription(
            title="Set ignore_index for padding or border labels",
            expect="the loss is finite, and only labeled entries count",
            safety=Safety.MANUAL,
            not_when="the number is a class of its own",
            unless=(_none_counts, _chooses_none),
            before="""\
loss = torch.nn.functional.cross_entropy(logits, mask)  # 255 marks the border""",
            code="""\
loss = torch.nn.functional.cross_entropy(logits, mask, ignore_index=255)""",
        ),
        Prescription(
            title="Mask only the prompt and the padding, not the answer",
            expect="the loss is above 0, and every weight gets a gradient",
            safety=Safety.MANUAL,
            not_when="some labels count: then -100 is meant",
            before="""\
labels = list(input_ids)
labels[: len(input_ids)] = [-100] * len(input_ids)""",
            code="""\
labels = list(input_ids)
labels[: len(prompt_ids)] = [-100] * len(prompt_ids)""",
            unless=(_some_count,),
        ),
        Prescription(
            title="Check the labels once when the data is loaded",
            expect="the check counts the bad labels and names the first row before training starts",
            safety=Safety.MANUAL,
            not_when="the labels are probabilities, not class indices",
            code="""\
bad = [row for row, label in enumerate(labels) if not 0 <= label < classes]
if bad:
    raise ValueError(f"{len(bad)} labels outside 0..{classes - 1}, the first in row {bad[0]}")""",
        ),
    ),
    experiment=Experiment(
        does="Print the smallest and largest label and the number of outputs, and run one batch on the CPU",
        if_true="a label is below 0 or not below the number of outputs, and the CPU error names it",
        if_false="all labels are valid for the loss",
        steps=0,
    ),
    page=__doc__,
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.CRASHES, Symptom.NOT_FINITE),
    misdiagnoses=(Misdiagnosis(says="CUDA or my GPU is broken", blames="the driver or the hardware"),),
    places=(facts.LOSS_PLACE, facts.LOADER_PLACE),
)
