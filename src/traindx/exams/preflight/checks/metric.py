"""Whether the number that the program shows can tell anything."""

from traindx.causes.misleading_metric import accuracy_of_a_regression, all_pairs_compared, argmax_of_one
from traindx.exams.preflight.check import by_signs
from traindx.exams.preflight.types import Check, Part

CHECK = Check(
    "metric",
    "What the program measures can tell right from wrong",
    Part.LOSS,
    40,
    by_signs(
        accuracy_of_a_regression,
        argmax_of_one,
        all_pairs_compared,
        passes=lambda _: "no measure was seen that says nothing of the predictions",
        unseen=lambda _: "no measure beside the loss was seen",
    ),
)
