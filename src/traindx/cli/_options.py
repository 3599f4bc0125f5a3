"""The options that commands share."""

import argparse


def add_reading(parser: argparse.ArgumentParser) -> None:
    """What to read, and how."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="a log file, a run's folder, a tree of runs, or - for stdin"
    )
    parser.add_argument(
        "--map",
        action="append",
        default=[],
        metavar="NAME=QUANTITY",
        help="read the values called NAME as QUANTITY (docs/quantities.md lists them); may be repeated",
    )
    parser.add_argument(
        "--follow", action="store_true", help="report again whenever the logs grow, until Ctrl-C"
    )


def add_judging(parser: argparse.ArgumentParser, *, follows: bool = True) -> None:
    """How to judge, and what to make of it; `follows`: beside --follow."""
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="SIGN.NAME=VALUE",
        help="judge with another limit (traindx explain SIGN shows them; [tool.traindx.limits] in"
        " pyproject.toml keeps them); may be repeated",
    )
    parser.add_argument(
        "--fail-on",
        action="append",
        default=[],
        metavar="CONDITION",
        help="exit with 1 when a run is sick, inconclusive, or suffers from a CAUSE (see traindx causes);"
        " sick:0.9 or CAUSE:0.8 wants at least that confidence; may be repeated"
        + ("; when met it ends --follow" if follows else "; a run that meets it while sick is stopped"),
    )


def add_exams(parser: argparse.ArgumentParser) -> None:
    """What is known besides the run."""
    parser.add_argument(
        "--exam",
        action="append",
        default=[],
        metavar="FILE",
        help="count an exam of the same training as evidence: the JSON of traindx examine, preflight or"
        " lr-find; may be repeated",
    )


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """Where the report goes besides the terminal."""
    parser.add_argument("--all", action="store_true", help="shorten no list")
    add_documents(parser, "diagnostic_report.md", "report.json", "report.html")
    parser.add_argument("--values", action="store_true", help="put every step and value into the JSON")
    parser.add_argument(
        "--png", metavar="DIR", help="write pictures of the curves; needs matplotlib (traindx[plots])"
    )


def add_documents(parser: argparse.ArgumentParser, markdown: str, json: str, html: str = "") -> None:
    """Where Markdown, JSON and the page go, and what they are called in a folder."""
    if html:
        parser.add_argument(
            "--html", metavar="FILE", help=f"write a page that opens offline (in a folder: {html})"
        )
    parser.add_argument(
        "--md", metavar="FILE", help=f"write Markdown; - for standard output (in a folder: {markdown})"
    )
    parser.add_argument(
        "--json", metavar="FILE", help=f"write JSON; - for standard output (in a folder: {json})"
    )
