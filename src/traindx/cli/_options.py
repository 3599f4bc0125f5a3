"""The options that commands share, and the formats of a report."""

import argparse

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from traindx.trials.types import Report


class Format:
    """One kind of output."""

    def __init__(self, option: str, says: str, label: str, file: str = "") -> None:
        """Without a file name it fills a folder."""
        self.option = option
        """What a user types: "--md FILE"."""
        self.says = f"{says} (in a folder: {file})" if file else says
        self.label = label
        """What the line below a report calls it."""
        self.file = file
        """What it is called in a folder."""


FORMATS = {
    "html": Format("--html FILE", "write an HTML page that works offline", "", "report.html"),
    "md": Format("--md FILE", "write Markdown; - for standard output", "markdown", "diagnostic_report.md"),
    "json": Format("--json FILE", "write JSON; - for standard output", "data", "report.json"),
    "sarif": Format("--sarif FILE", "write SARIF for code scanning", "sarif", "report.sarif"),
    "github": Format(
        "--github FILE",
        "write annotations for GitHub Actions; - for standard output",
        "github",
        "annotations.txt",
    ),
    "png": Format("--png DIR", "write plots of the curves (needs matplotlib)", "pictures"),
}
"""By the names of their arguments. The page has no label: the screen itself names it."""
ANNOTATIONS = ("sarif", "github")
"""Formats that hold nothing but what is wrong."""


def made(kind: str, report: "Report", arguments: argparse.Namespace) -> "str | dict[str, bytes]":
    """A report in a format, by modules that are loaded when it is asked for."""
    if kind == "json":
        from traindx.report.json.report import render

        return f"{render(report, values=arguments.values)}\n"
    if kind == "png":
        from traindx.report.png import report as png

        return png.render(report)
    if kind in ANNOTATIONS:
        from traindx.report.annotations import as_github, as_sarif

        return as_sarif(report) if kind == "sarif" else as_github(report)
    from traindx.report.pages import as_html, as_markdown

    return as_html(report) if kind == "html" else as_markdown(report, everything=arguments.all)


def add_option(
    parser: argparse.ArgumentParser,
    spelled: str,
    says: str,
    *,
    type: "Callable[[str], object]" = str,  # noqa: A002  # as argparse calls it
    default: object = None,
    repeated: bool = False,
) -> None:
    """Add an option by its name and what it takes, as "--steps N"; one that takes nothing is a flag.

    One that may be repeated gives a list.
    """
    option, _, metavar = spelled.partition(" ")
    if not metavar:
        parser.add_argument(option, action="store_true", help=says)
    elif repeated:
        parser.add_argument(option, action="append", default=[], metavar=metavar, help=says)
    else:
        parser.add_argument(option, type=type, default=default, metavar=metavar, help=says)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """What to read, and how."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="a log file, a run's folder, a tree of runs, or - for stdin (default: what was recorded last)",
    )
    add_option(
        parser,
        "--map NAME=QUANTITY",
        "read NAME as QUANTITY (listed in docs/quantities.md); may be repeated",
        repeated=True,
    )
    add_option(
        parser,
        "--run N",
        "of a log that holds several runs one after another, read the N-th; may be repeated"
        " (default: the last that is long enough)",
        repeated=True,
    )
    add_option(parser, "--follow", "diagnose again whenever the logs grow, until Ctrl-C")


def add_judging(parser: argparse.ArgumentParser, *, follows: bool = True) -> None:
    """How to judge, and what to make of it; `follows`: beside --follow."""
    add_option(
        parser,
        "--limit CHECK.NAME=VALUE",
        "override a threshold of a check (traindx explain CHECK lists them; keep it in"
        " [tool.traindx.limits] of pyproject.toml); may be repeated",
        repeated=True,
    )
    add_option(
        parser,
        "--objective NAME",
        "what is trained, if traindx recognizes it wrongly: classification, language-modeling, fine-tuning,"
        " rl-post-training, diffusion, ... (docs/objectives.md)",
    )
    add_option(
        parser,
        "--fail-on CONDITION",
        "exit with 1 if a run is sick, inconclusive, or has a CAUSE (see traindx causes);"
        " sick:0.9 requires at least 90%% confidence; may be repeated"
        + ("; ends --follow" if follows else "; stops the program"),
        repeated=True,
    )


def add_exams(parser: argparse.ArgumentParser) -> None:
    """What is known besides the run."""
    add_option(
        parser,
        "--exam FILE",
        "use the JSON of traindx examine, preflight or lr-find on the same program as evidence;"
        " may be repeated",
        repeated=True,
    )


def add_outputs(parser: argparse.ArgumentParser, without: "Container[str]" = ()) -> None:
    """Where the report goes besides the terminal; a command that judges nothing goes without annotations."""
    add_detail(parser, "verdict, cause, confidence, file:line, report")
    add_option(parser, "--open", "open the HTML report in a browser")
    for name, form in FORMATS.items():
        if name not in without:
            add_option(parser, form.option, form.says)
    add_option(parser, "--values", "include every step and value in the JSON")


def add_detail(parser: argparse.ArgumentParser, line: str) -> None:
    """How much is shown; `line` is what a single one says."""
    add_option(parser, "--all", "show everything")
    add_option(parser, "--quiet", f"print one line: {line}")


def add_documents(parser: argparse.ArgumentParser, markdown: str, json: str, html: str = "") -> None:
    """Where Markdown, JSON and the page go, and what they are called in a folder."""
    if html:
        add_option(parser, "--html FILE", f"write an HTML page that works offline (in a folder: {html})")
    add_option(parser, "--md FILE", f"write Markdown; - for standard output (in a folder: {markdown})")
    add_option(parser, "--json FILE", f"write JSON; - for standard output (in a folder: {json})")


def add_program(parser: argparse.ArgumentParser, command: str) -> None:
    """A script, a module or any command, with its arguments."""
    parser.usage = f"traindx {command} [options] (SCRIPT.py | -m MODULE | -- CMD) [argument ...]"
    parser.add_argument(
        "words", nargs=argparse.REMAINDER, metavar="CMD", help="a script, or any command, with its arguments"
    )
    parser.add_argument(
        "-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE", help="a module, with its arguments"
    )


def add_in_place(parser: argparse.ArgumentParser) -> None:
    """Where a program is run that would be run in copies of its project."""
    add_option(
        parser,
        "--in-place",
        "run in the working directory, one run at a time, instead of in copies of the project;"
        " the program may overwrite its own files",
    )


def add_folder(parser: argparse.ArgumentParser, one: str, several: str, folder: str) -> None:
    """What the work of a command is called, and where it is kept."""
    add_option(parser, "--name NAME", f"name of the {one} (default: the script's name and a number)")
    add_option(parser, "--out DIR", f"folder for {several} (default: {folder})", default=folder)


def words_of(arguments: argparse.Namespace) -> list[str]:
    """The words of the program as they were typed."""
    if arguments.module is None:
        return list(arguments.words)
    # An option takes the rest only as far as a "--"; what follows it is the module's as well.
    return ["-m", *arguments.module, *arguments.words]


def note_misplaced(arguments: argparse.Namespace) -> None:
    """Say which of our options stand behind the script and so went to it, unless it knows them itself."""
    import shlex
    import sys
    from importlib import import_module

    words, command = words_of(arguments), arguments.command
    if not words or not words[0].endswith(".py"):
        return
    parser = argparse.ArgumentParser(add_help=False)
    import_module(f"traindx.cli.{command.replace('-', '_')}").configure(parser)
    ours = {option: action for action in parser._actions for option in action.option_strings}
    for index, word in enumerate(words[1:], start=1):
        option, equals, _ = word.partition("=")
        if not option.startswith("--") or option not in ours or _is_read_by(words[0], option):
            continue
        takes_next = not equals and ours[option].nargs is None
        typed = shlex.join(words[index : index + 1 + takes_next])
        sentence = f"put it before the script: traindx {command} {typed} {shlex.quote(words[0])}"
        sys.stderr.write(f"traindx {command}: {typed} went to {words[0]}; {sentence}\n")


def _is_read_by(script: str, option: str) -> bool:
    """Whether a script seems to parse an option: it spells it out, or names it where it spells out none."""
    import re

    try:
        with open(script, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return True
    name = re.escape(option.removeprefix("--")).replace(r"\-", "[-_]")
    spelled_out = re.search(r"""["']--\w""", text)
    return re.search(rf"--{name}\b" if spelled_out else rf"\b{name}\b", text) is not None
