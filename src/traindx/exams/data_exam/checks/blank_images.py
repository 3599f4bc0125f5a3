"""Images that show nothing."""

from typing import Annotated

import numpy as np

from traindx.causes import input_outliers
from traindx.exams.check import Check, Outcome, unseen
from traindx.exams.data_exam.dataset.data import Kind
from traindx.exams.data_exam.dataset.look import Look
from traindx.exams.data_exam.dataset.question import rows_at
from traindx.finding import Severity, problem
from traindx.format import count

_SHARE: Annotated[float, "of the images; a slip or two are in every collection"] = 0.002


def _blank_images(look: Look) -> Outcome:
    """A constant image is a file that was not written, or cut outside of the picture; its label is a lie."""
    if look.data.kind is not Kind.IMAGES:
        return unseen("the rows are no images")
    faults = []
    for part in look.data.parts:
        blank = np.flatnonzero(part.matrix.max(axis=1) == part.matrix.min(axis=1))
        if not len(blank):
            continue
        says = f"{count(len(blank), f'{part.name} image')} of {part.looked:,} have one colour all over"
        many = len(blank) > 1 and len(blank) >= _SHARE * part.looked
        todo = "Look at these files, and drop the ones that were not written or cut rightly"
        severity = Severity.WARNING if many else Severity.INFO
        faults.append(
            problem(
                input_outliers.CAUSE.slug,
                severity,
                says,
                todo=todo,
                samples=rows_at(part, blank, "one colour all over"),
            )
        )
    return Outcome("every image has more than one colour", tuple(faults))


BLANK_IMAGES = Check(
    "blank images", "Do all images show something?", _blank_images, 5, clears=(input_outliers.CAUSE.slug,)
)
