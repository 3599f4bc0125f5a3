"""Pages of exams, preflight and lr-find: every screen at 80 columns, and its limits."""

import pytest
from syrupy.assertion import SnapshotAssertion

pytest.importorskip("libcst")

from tests.report.results import exam_results as results
from tests.report.results.screens import screen
from traindx.report import markdown, text
from traindx.report.results import exams, learning_rate


@pytest.mark.parametrize("name", list(results.DATA))
def test_data(name: str, snapshot: SnapshotAssertion) -> None:
    examination = results.DATA[name]
    assert screen(exams.data_page(examination)) == snapshot
    assert exams.data_summary(examination) == snapshot(name="quiet")


@pytest.mark.parametrize("name", list(results.MODELS))
def test_models(name: str, snapshot: SnapshotAssertion) -> None:
    exam = results.MODELS[name]
    assert screen(exams.model_page(exam, "sample.pt")) == snapshot
    assert exams.summary(exam) == snapshot(name="quiet")


@pytest.mark.parametrize("name", list(results.PREFLIGHTS))
def test_preflights(name: str, snapshot: SnapshotAssertion) -> None:
    checklist = results.PREFLIGHTS[name]
    assert screen(exams.preflight_page(checklist)) == snapshot
    assert exams.preflight_summary(checklist) == snapshot(name="quiet")


@pytest.mark.parametrize("name", list(results.RATES))
def test_learning_rates(name: str, snapshot: SnapshotAssertion) -> None:
    program = results.RATES[name]
    assert screen(learning_rate.page(program)) == snapshot
    assert learning_rate.summary(program) == snapshot(name="quiet")


def test_a_program_with_a_bug_is_not_tuned(snapshot: SnapshotAssertion) -> None:
    page = learning_rate.refusal(results.PREFLIGHTS["not-ready"], results.BUG, "train.py --epochs 3")
    assert screen(page) == snapshot


PAGES = {
    "data": exams.data_page(results.DATA["fail"]),
    "gradients": exams.model_page(results.MODELS["gradients-fail"], "sample.pt"),
    "model": exams.model_page(results.MODELS["model-pass"], "sample.pt"),
    "preflight": exams.preflight_page(results.PREFLIGHTS["not-ready"]),
    "learning-rate": learning_rate.page(results.RATES["set"]),
}


@pytest.mark.parametrize("name", list(PAGES))
def test_everything(name: str, snapshot: SnapshotAssertion) -> None:
    assert text.write(PAGES[name], everything=True) == snapshot


@pytest.mark.parametrize("name", list(PAGES))
def test_markdown(name: str, snapshot: SnapshotAssertion) -> None:
    assert markdown.write(PAGES[name]) == snapshot
