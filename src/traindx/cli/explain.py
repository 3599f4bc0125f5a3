"""`traindx explain`: one page of the knowledge base."""

import argparse

from traindx.cli._options import add_documents, add_option

HELP = "explain a cause or a check, or find causes by a word"
EXAMPLES = """\
  traindx explain lr-too-high                  a cause: what you see, what to change, what it is confused with
  traindx explain nan                          the causes that match a word
  traindx explain loss_diverges                a check: what it tests, its limits and what it implies
  traindx explain lr-too-high --all            with the log-odds of every check
  traindx explain overfitting --md -           as Markdown"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of explain."""
    parser.add_argument("name", metavar="NAME", help="a cause (listed by traindx causes), a check, or words")
    add_option(parser, "--all", "show everything, with the log-odds of every check")
    add_documents(parser, "NAME.md", "NAME.json")


def run(arguments: argparse.Namespace) -> int:
    """Show one page, or the causes that match; 2 for an unknown name."""
    from traindx.cause import Cause
    from traindx.cli._knowledge import as_json, as_text, list_as_text, matching, tell
    from traindx.cli._pages import cause_page, causes_table, sign_page
    from traindx.diagnosis import knowledge
    from traindx.errors import UnknownNameError
    from traindx.format import count, printable

    try:
        unit = knowledge.unit_named(arguments.name)
    except UnknownNameError:
        causes = matching(arguments.name)
        if not causes:
            raise
        heading = f'{count(len(causes), "cause")} for "{printable(arguments.name)}"'
        markdown = f"# {heading}\n\n{causes_table(causes)}\n"
        return tell(arguments, "causes", list_as_text(causes, heading), markdown, as_json(causes))
    if isinstance(unit, Cause):
        page, data = cause_page(unit), as_json([unit])
    else:
        page, data = sign_page(unit), as_json(signs=[unit])
    return tell(arguments, unit.slug, as_text(page, full=arguments.all), str(page), data)
