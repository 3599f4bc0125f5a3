"""Healthy data of many kinds is called healthy: nothing but remarks."""

import pytest

from exam_data_sets import HEALTHY
from traindx import exams
from traindx.finding import Mark, Severity


@pytest.mark.parametrize("name", HEALTHY)
def test_healthy_data_passes(name: str) -> None:
    training, validation = HEALTHY[name]().source
    examination = exams.data(training, validation=validation)
    assert [fault.says for fault in examination.findings if fault.severity is not Severity.INFO] == []
    assert examination.verdict is Mark.PASS
    assert examination.causes == ()
    assert examination.portrait is not None
