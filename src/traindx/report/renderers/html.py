"""The report as one HTML file that opens offline."""

from traindx.report.html.document import document
from traindx.trials.types import Report


def render(report: Report) -> str:
    """The report as a page: text that is complete without script, and drawings to zoom into with it."""
    return document(report)
