"""What comes first when the cause is not settled."""

from tests.report.renderers import canonical
from traindx.report.renderers import html, markdown, text
from traindx.trials.types import Report


def test_an_unsettled_cause_is_tested_before_it_is_treated() -> None:
    run, _ = canonical.demo_runs()
    report = Report((run,), diagnoses=(canonical.shared(),))
    shown = text.render(report)
    assert shown.index("next experiment") < shown.index("if so, change")
    page = markdown.render(report)
    assert page.index("Next experiment") < page.index("Fix, if that is it")
    assert "What to change, if that is it" in html.render(report)


def test_a_settled_cause_is_treated_at_once() -> None:
    run, _ = canonical.demo_runs()
    report = Report((run,), diagnoses=(canonical.sick(),))
    assert "if so, change" not in text.render(report)
    assert "if that is it" not in markdown.render(report)
