"""Leakage from training to validation.

Validation contains information that training has already seen, so its score is too good.

## What happens
Common ways: the same rows in both sets, because the split is random without a seed at each start, or both
loaders read one file; duplicates and near-duplicates in the source; oversampling, augmentation or
overlapping windows before the split; several samples of one patient, user, speaker or day on both sides; a
random split of a time series; scaling, imputation, feature selection or a vocabulary fitted on all rows; a
feature computed from the target. In a language model: benchmark texts in the training set.

It is not rare: 3.3% of the test images of CIFAR-10 and 10% of those of CIFAR-100 have a duplicate or
near-duplicate in the training set.

## What you see
Everything looks better than it should. The validation loss follows the training loss down without a gap and
without a turn, however large the model and however small the data; memorizing helps validation. Scores are
above published ones, or near perfect on a hard task. The drop comes later: on a new test set, or in use. A
validation loss slightly below the training loss is not proof, because dropout and augmentation do that too.

## Often confused with
- `over-regularized`: validation is below training only because of dropout and augmentation; in eval mode it
  is above.
- `train-val-mismatch`: the opposite; validation is too bad.
- `overfitting`: a clean validation set shows the gap; here it is hidden.
- `misleading-metric`: the number is computed wrongly, on rows that are really new.
- `degenerate-labels`: scores are near perfect because there is nothing to predict.

## What not to do
- Report the number as it is: a jump without a reason is a bug until shown otherwise.
- Remove exact duplicates only: resized, cropped, re-encoded and re-tokenized copies stay.
- Use another random split: with groups or time in the data every random split leaks.
- Tune on this validation set: the model that memorizes best wins.
- Add regularization to be safe: it changes the model, and the measurement stays wrong.

## References
- Kaufman, Rosset, Perlich, Stitelman: Leakage in Data Mining: Formulation, Detection, and Avoidance, 2012.
- Kapoor, Narayanan: Leakage and the Reproducibility Crisis in Machine-Learning-Based Science, 2023.
- Barz, Denzler: Do We Train on Test Data? Purging CIFAR of Near-Duplicates, 2020.
- Lee and others: Deduplicating Training Data Makes Language Models Better, 2022.
- Ambroise, McLachlan: Selection Bias in Gene Extraction on the Basis of Microarray Gene-Expression Data,
  2002.
- scikit-learn documentation: Common pitfalls and recommended practices, Data leakage.
"""

from dataclasses import replace
from typing import Annotated

import numpy as np

from traindx import facts
from traindx.cause import Cause, Clue, Experiment, Misdiagnosis, Prescription, Safety, Symptom, Tool
from traindx.curves.facts import location_of, stated_number
from traindx.curves.limits import NEARLY_ALL, NOTHING, SMALL, linear
from traindx.curves.series import looked, seen_in
from traindx.facts import KEPT_ROWS, TRAINING_SAMPLES, VALIDATION_PLACE
from traindx.finding import CANNOT_TELL, Answer, Finding, Severity, sign
from traindx.objective import Area
from traindx.quantities import REPEATED_SHARE, SEEN_SHARE
from traindx.run import Run
from traindx.signs.chance_level import little_learned
from traindx.signs.validation import validation_below_train


@sign(needs=(SEEN_SHARE,), severity=Severity.SERIOUS)
def validation_rows_seen(
    run: Run, *, share: Annotated[float, "of validation rows; bench/thresholds.md#leakage"] = 0.15
) -> Answer:
    """Validation rows that are also in the training data."""
    held_out, trained = looked(run, SEEN_SHARE, "validation"), looked(run, SEEN_SHARE)
    if held_out is None:
        return CANNOT_TELL
    largest = float(np.max(held_out.values))
    again = looked(run, REPEATED_SHARE)
    if again is not None and float(np.median(again.values)) > NEARLY_ALL and largest > NEARLY_ALL:
        # All data at every step, as of a graph whose nodes are divided by a mask: rows tell nothing there.
        return CANNOT_TELL
    # Only some training rows are kept: what is found is a part of what there is.
    kept, rows = stated_number(run, KEPT_ROWS), stated_number(run, TRAINING_SAMPLES)
    known = min(1.0, kept / rows) if kept and rows else 1.0
    if trained is not None and len(trained) > 2:
        known = min(1.0, max(known, float(np.quantile(trained.values, NEARLY_ALL))))
    estimate = min(1.0, largest / max(known, SMALL))
    if estimate < share or largest < NOTHING:
        return None
    says = f"about {estimate:.0%} of the validation rows are also in the training data"
    evidence = replace(seen_in(held_out, largest, share), location=location_of(run, VALIDATION_PLACE))
    return Finding(linear(estimate, share, over=1 / 2, least=1 / 2), says, (evidence,))


CAUSE = Cause(
    slug="train-val-leakage",
    area=Area.FIT,
    title="Validation data leaked into training",
    prior=-4.35,
    clues=(
        Clue(little_learned, seen=-0.51),
        Clue(validation_rows_seen, seen=+5.41, unseen=-5.04),
        Clue(validation_below_train, seen=+0.45),
    ),
    fixes=(
        Prescription(
            title="Split the data before you oversample or augment it",
            expect="no row is in both sets, and the validation loss is higher",
            safety=Safety.MANUAL,
            not_when="a fixed public split exists, or samples share a group: then use GroupShuffleSplit",
            before="""\
x, y = oversample(x, y)
train_x, val_x, train_y, val_y = train_test_split(x, y, test_size=0.2, random_state=0)""",
            code="""\
train_x, val_x, train_y, val_y = train_test_split(x, y, test_size=0.2, random_state=0)
train_x, train_y = oversample(train_x, train_y)""",
        ),
        Prescription(
            title="Remove validation rows from the training set",
            expect="no shared rows are left, and the validation loss is higher",
            safety=Safety.MANUAL,
            not_when="rows are equal by nature, such as short categorical records",
            code="""\
scale = 100 / train_x.std(dim=0).clamp_min(1e-6)  # rounds away float noise

def key(row: torch.Tensor) -> bytes:  # for resized or re-encoded copies, compare embeddings
    return (row * scale).round().to(torch.int64).numpy().tobytes()

val_keys = {key(row) for row in val_x}
keep = torch.tensor([key(row) not in val_keys for row in train_x])
train_x, train_y = train_x[keep], train_y[keep]""",
        ),
        Prescription(
            title="Fit scaling and selection on the training rows only",
            expect="the validation score falls a little; with feature selection a lot",
            safety=Safety.MANUAL,
            not_when="the step uses no data, such as dividing pixels by 255",
            before="""\
x = StandardScaler().fit_transform(x)
train_x, val_x, train_y, val_y = train_test_split(x, y, random_state=0)""",
            code="""\
train_x, val_x, train_y, val_y = train_test_split(x, y, random_state=0)
scaler = StandardScaler().fit(train_x)
train_x, val_x = scaler.transform(train_x), scaler.transform(val_x)""",
        ),
        Prescription(
            title="Split a time series by time, with a gap of one window",
            expect="the validation loss is higher than with the random split",
            safety=Safety.MANUAL,
            not_when="the order of the samples has no meaning",
            before="""\
windows = series.unfold(0, window, 1)
train, val = random_split(windows, [0.8, 0.2])""",
            code="""\
boundary = int(0.8 * len(series))
train = series[:boundary].unfold(0, window, 1)
val = series[boundary + window :].unfold(0, window, 1)""",
        ),
    ),
    experiment=Experiment(
        does="Hash the rows of both sets as the model gets them and count validation rows in training",
        if_true="more of them than chance allows are in the training set",
        if_false="none are; near-duplicates, groups and fitted preprocessing remain to be checked",
        steps=0,
    ),
    page=__doc__,
    looked_for_by=Tool.EXAMINE_DATA,
    symptoms=(Symptom.LYING_NUMBERS, Symptom.GENERALIZES_BADLY),
    misdiagnoses=(Misdiagnosis(says="My model is excellent", blames="nothing: the score is believed"),),
    places=(facts.VALIDATION_PLACE, facts.LOADER_PLACE),
)
