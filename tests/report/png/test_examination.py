"""The picture of an exam, for every kind of data."""

import numpy as np
import pytest

from exam_data_sets import HEALTHY
from traindx import exams
from traindx.report.png.examination import examination_picture


@pytest.mark.parametrize(
    "name", ["wine", "diabetes", "texts as tokens", "shapes, bytes", "waves", "several labels"]
)
def test_every_kind_is_drawn(name: str) -> None:
    training, validation = HEALTHY[name]().source
    picture = examination_picture(exams.data(training, validation=validation))
    assert picture.startswith(b"\x89PNG")
    assert examination_picture(exams.data(training, validation=validation)) == picture


def test_names_are_drawn_as_they_are() -> None:
    x = np.random.default_rng(0).normal(size=(100, 2))
    labels = np.array(["$x^", "_hidden"])[(x[:, 0] > 0).astype(int)]
    assert examination_picture(exams.data((x, labels))).startswith(b"\x89PNG")
