"""Whether the number that the program shows can tell anything."""

from traindx.exams.preflight.check import by_signs
from traindx.exams.preflight.types import Check, Part
from traindx.signs.accuracy_of_a_regression import accuracy_of_a_regression
from traindx.signs.all_pairs_compared import all_pairs_compared
from traindx.signs.argmax_of_one import argmax_of_one

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
