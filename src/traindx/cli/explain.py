"""`traindx explain`: one page of the knowledge base."""

import argparse

from traindx.cli._options import add_documents

HELP = "show what is known about a cause, or about a sign that speaks for it"
EXAMPLES = """\
  traindx explain lr-too-high                  a cause: what you see, what to change, what it is confused with
  traindx explain loss_diverges                a sign: what it asks, its limits and where they come from
  traindx explain overfitting --md -           as Markdown"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of explain."""
    parser.add_argument("name", metavar="NAME", help="a cause (traindx causes lists them) or a sign")
    add_documents(parser, "NAME.md", "NAME.json")


def run(arguments: argparse.Namespace) -> int:
    """Show one page; 2 for an unknown name."""
    from traindx.cause import Cause
    from traindx.cli._knowledge import as_json, as_text, tell
    from traindx.cli._pages import cause_page, sign_page
    from traindx.diagnosis import knowledge

    unit = knowledge.unit_named(arguments.name)
    if isinstance(unit, Cause):
        page, data = cause_page(unit), as_json([unit])
    else:
        page, data = sign_page(unit), as_json(signs=[unit])
    return tell(arguments, unit.slug, as_text(page), str(page), data)
