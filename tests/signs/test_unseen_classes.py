"""Validation on classes that training never shows is a mismatch, and its fix is to shuffle first."""

import numpy as np

from traindx.causes.train_val_mismatch import CAUSE, classes_unseen_in_training
from traindx.facts import UNSEEN_CLASSES
from traindx.finding import Finding
from traindx.quantities import TRAIN_LOSS
from traindx.run import Run, Series


def recorded(unseen: str) -> Run:
    losses = Series(TRAIN_LOSS, np.arange(1.0, 41), np.full(40, 1.0))
    return Run("run", (losses,), facts={UNSEEN_CLASSES: unseen})


def test_unseen_classes_are_named_and_decide_the_fix() -> None:
    answer = classes_unseen_in_training(recorded("8, 9"))
    assert isinstance(answer, Finding)
    assert answer.says == "validation classes 8, 9 never occur in training"
    suited = [fix.title for fix in CAUSE.fixes if fix.suits(recorded("8, 9"))]
    assert suited[0].startswith("Shuffle the rows")
    assert not any(title.startswith("Preprocess") for title in suited)


def test_one_class_and_none() -> None:
    answer = classes_unseen_in_training(recorded("3"))
    assert isinstance(answer, Finding)
    assert answer.says == "validation class 3 never occurs in training"
    assert not isinstance(classes_unseen_in_training(recorded("")), Finding)
    assert next(fix for fix in CAUSE.fixes if fix.suits(recorded(""))).title.startswith("Preprocess")
