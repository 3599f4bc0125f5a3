"""The numbers it computes with."""

from traindx.interview.complaints import LOSS_NAN, LOSS_UNSTABLE
from traindx.interview.questions.types import Choice, Question
from traindx.signs.nonfinite import (
    loss_scale_collapses,
    nonfinite_from_half,
    precision_is_half,
    steps_overflow,
)

PRECISION = Question(
    slug="precision",
    asks="Which numbers does it compute with?",
    look="Look for autocast, half(), GradScaler, fp16 or bf16 in the script or its configuration.",
    complaints=(LOSS_NAN, LOSS_UNSTABLE),
    choices=(
        Choice(
            "float32",
            "float32 or bfloat16",
            unseen=(precision_is_half, nonfinite_from_half, loss_scale_collapses, steps_overflow),
        ),
        Choice("float16", "float16, with or without a loss scale", seen=(precision_is_half,)),
    ),
    known=0.95,
)
