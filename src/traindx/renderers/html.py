"""The report as one HTML file that opens offline."""

from traindx.pages.document import document
from traindx.report import Report


def render(report: Report) -> str:
    """The report as a page: text that is complete without script, and drawings to zoom into with it."""
    return document(report)
