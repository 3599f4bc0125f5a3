"""Whether some classes are rare."""

from traindx.causes.class_imbalance import classes_unbalanced, rare_class_ignored
from traindx.interview.complaints import LOSS_STUCK, OTHER, OVERFITTING
from traindx.interview.questions.types import Choice, Question

CLASS_BALANCE = Question(
    slug="balance",
    asks="How often does each class occur?",
    look="Count the labels; regressions have no classes.",
    complaints=(OTHER, OVERFITTING, LOSS_STUCK),
    choices=(
        Choice(
            "even",
            "about equally often, or there are no classes",
            unseen=(classes_unbalanced, rare_class_ignored),
        ),
        Choice(
            "rare", "one is ten times rarer than another, or more", seen=(classes_unbalanced,), fault=True
        ),
    ),
    known=0.9,
)
