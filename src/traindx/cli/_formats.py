"""The formats of a report: for each its option, its file name and what makes it, loaded when it is needed."""

import argparse

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from collections.abc import Callable

    from traindx.trials.types import Report

    Made = str | dict[str, bytes]
    Make = Callable[[Report, argparse.Namespace], Made]


class Format:
    """One kind of output."""

    def __init__(self, option: str, says: str, label: str, make: "Make", file: str = "") -> None:
        """Without a file name it fills a folder."""
        self.option = option
        """What a user types: "--md FILE"."""
        self.says = f"{says} (in a folder: {file})" if file else says
        self.label = label
        """What the line below a report calls it."""
        self.make = make
        self.file = file
        """What it is called in a folder."""


def _html(report: "Report", arguments: argparse.Namespace) -> "Made":
    from traindx.report.pages import as_html

    return as_html(report)


def _markdown(report: "Report", arguments: argparse.Namespace) -> "Made":
    from traindx.report import markdown
    from traindx.report.pages import page_of

    return markdown.write(page_of(report), everything=arguments.all)


def _json(report: "Report", arguments: argparse.Namespace) -> "Made":
    from traindx.report.json.report import render

    return f"{render(report, values=arguments.values)}\n"


def _sarif(report: "Report", arguments: argparse.Namespace) -> "Made":
    from traindx.report.annotations import as_sarif

    return as_sarif(report)


def _github(report: "Report", arguments: argparse.Namespace) -> "Made":
    from traindx.report.annotations import as_github

    return as_github(report)


def _png(report: "Report", arguments: argparse.Namespace) -> "Made":
    from traindx.report.png.report import render

    return render(report)


FORMATS = {
    "html": Format("--html FILE", "write an HTML page that works offline", "", _html, "report.html"),
    "md": Format(
        "--md FILE",
        "write Markdown; - for standard output",
        "markdown",
        _markdown,
        "diagnostic_report.md",
    ),
    "json": Format("--json FILE", "write JSON; - for standard output", "data", _json, "report.json"),
    "sarif": Format("--sarif FILE", "write SARIF for code scanning", "sarif", _sarif, "report.sarif"),
    "github": Format(
        "--github FILE",
        "write annotations for GitHub Actions; - for standard output",
        "github",
        _github,
        "annotations.txt",
    ),
    "png": Format("--png DIR", "write plots of the curves (needs matplotlib)", "pictures", _png),
}
"""By the names of their arguments. The page has no label: the screen itself names it."""
ANNOTATIONS = ("sarif", "github")
"""Formats that hold nothing but what is wrong."""
