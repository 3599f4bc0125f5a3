"""The report as one HTML file that opens offline."""

from traindx.report.html.writer import write
from traindx.report.pages import page_of
from traindx.trials.types import Report


def render(report: Report) -> str:
    """The report as a page: text that is complete without script, and charts to zoom into with it."""
    return write(page_of(report))
