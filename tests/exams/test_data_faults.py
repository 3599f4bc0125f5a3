"""Faults put into data are named by their cause, with what to do."""

import numpy as np
import pytest

from exam_data_sets import FAULTS, HEALTHY
from traindx import exams
from traindx.diagnosis import knowledge
from traindx.finding import Mark, Severity

SLUGS = {cause.slug for cause in knowledge.causes()}
# Two sets of each fault; bench/exam_data.py goes through all of them, with three seeds.
CASES = [(fault, on) for fault, injected in FAULTS.items() for on in injected.on[:2]]


@pytest.mark.parametrize(("fault", "on"), CASES)
def test_an_injected_fault_is_named(fault: str, on: str) -> None:
    injected = FAULTS[fault]
    training, validation = injected.put(HEALTHY[on](), np.random.default_rng(0)).source
    examination = exams.data(training, validation=validation)
    assert injected.cause in examination.causes
    assert examination.verdict in (Mark.WARN, Mark.FAIL)
    assert set(examination.causes) <= SLUGS
    for finding in examination.findings:
        if finding.cause == injected.cause and finding.severity is not Severity.INFO:
            assert any(letter.isdigit() for letter in finding.says)
            compile(finding.code, "code to paste", "exec")


def test_the_rows_with_faults_are_the_ones_it_names() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(500, 5))
    x[[7, 300], 2] = np.nan
    x[41, 3] = 1e4
    examination = exams.data((x, (x[:, 0] > 0).astype(np.int64)))
    rows = {
        check.check.slug: {row.index for fault in check.findings for row in fault.samples}
        for check in examination.checks
    }
    assert rows["non-finite"] == {7, 300}
    assert rows["outliers"] == {41}


def test_a_number_that_marks_missing_values_is_no_outlier() -> None:
    rng = np.random.default_rng(9)
    x = rng.normal(size=(600, 3))
    x[:210:10, 1] = -999
    x[5, 2] = 1e4
    checks = {checked.check.slug: checked for checked in exams.data((x, None)).checks}
    assert checks["sentinel"].answer == (
        "-999 repeats 21 times in feature 1: probably a missing-value sentinel"
    )
    assert checks["outliers"].findings[0].columns == ("feature 2",)
    assert checks["sentinel"].mark is checks["outliers"].mark is Mark.WARN


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_fails(value: float) -> None:
    x = np.random.default_rng(10).normal(size=(200, 3))
    x[7, 1] = value
    examination = exams.data((x, None))
    assert examination.verdict is Mark.FAIL
    assert examination.causes == ("non-finite-inputs",)


def test_doubted_labels_are_the_wrong_ones() -> None:
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 900)
    x = rng.normal(size=(900, 6)) + 4 * np.eye(3, 6)[y]
    wrong = rng.choice(900, 90, replace=False)
    labels = y.copy()
    labels[wrong] = (y[wrong] + 1) % 3
    examination = exams.data((x, labels))
    doubted = {
        row.index for fault in examination.findings if fault.cause == "label-noise" for row in fault.samples
    }
    assert len(doubted & set(wrong.tolist())) > 0.9 * len(doubted)
    assert len(doubted & set(wrong.tolist())) > 0.9 * len(wrong)


def test_rows_that_leak_are_named_with_their_twins() -> None:
    rng = np.random.default_rng(3)
    x, held = rng.normal(size=(600, 8)), rng.normal(size=(100, 8))
    x[50:70] = held[:20]
    x[80:90] = held[20:30] + 1e-3
    (leakage,) = [
        check
        for check in exams.data((x, None), validation=(held, None)).checks
        if check.check.slug == "leakage"
    ]
    exact, near = leakage.findings
    assert [row.index for row in exact.samples] == list(range(20))
    assert exact.samples[3].reason == "duplicate of training row 53"
    assert [row.reason for row in near.samples] == [
        f"near-duplicate of training row {row}" for row in range(80, 90)
    ]


def test_class_weights_to_paste_are_inverse_frequencies() -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([0, 1, 2], [600, 380, 20])
    rng.shuffle(y)
    examination = exams.data((rng.normal(size=(1000, 4)), y))
    (fault,) = [finding for finding in examination.findings if finding.cause == "class-imbalance"]
    assert "weights = torch.tensor([0.556, 0.877, 16.7])" in fault.code


def test_one_column_that_is_the_target_is_told() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=(300, 4))
    y = x[:, 0] + rng.normal(0, 0.1, 300)
    assert exams.data((x, y)).verdict is Mark.PASS
    examination = exams.data((np.column_stack([x, 3 * y + 1]), y))
    assert ("train-val-leakage", ("feature 4",)) in {
        (finding.cause, finding.columns) for finding in examination.findings
    }


def test_parameters_are_held_against_rows() -> None:
    x = np.random.default_rng(6).normal(size=(400, 4))
    assert "overfitting" not in exams.data((x, None), parameters=4000).causes
    assert "overfitting" in exams.data((x, None), parameters=4_000_000).causes
    assert "overfitting" in exams.data((x[:30], None)).causes


def test_overlapping_classes_are_no_label_noise_and_noise_over_them_is_not_hidden() -> None:
    rng = np.random.default_rng(7)
    y = rng.integers(0, 2, 3000)
    x = rng.normal(size=(3000, 4)) + np.outer(y, [1.5, 0, 0, 0])
    assert "label-noise" not in exams.data((x, y)).causes
    apart = rng.normal(size=(3000, 4)) + np.outer(y, [6.0, 0, 0, 0])
    flipped = np.where(rng.random(3000) < 0.08, 1 - y, y)
    assert "label-noise" in exams.data((apart, flipped)).causes
