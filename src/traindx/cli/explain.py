"""`traindx explain`: one page of the knowledge base."""

import argparse
import re

from traindx.cli._options import add_documents
from traindx.errors import UnknownNameError

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
    from traindx import catalogue
    from traindx.cause import Cause
    from traindx.cli._knowledge import as_json, as_text, publish
    from traindx.cli._pages import cause_page, sign_page

    name: str = arguments.name
    typed = name.strip().lower()
    causes = {cause.slug: cause for cause in catalogue.causes()}
    signs = {sign.slug: sign for sign in catalogue.signs()}
    titles = {cause.title.lower(): cause for cause in causes.values()}
    # Causes are spelt with dashes and signs with underscores; nobody should have to remember that.
    exact = causes.get(typed) or signs.get(typed) or titles.get(typed)
    words = re.split(r"[-_\s]+", typed)
    unit = exact or causes.get("-".join(words)) or signs.get("_".join(words))
    if unit is None:
        aliases = {title: cause.slug for title, cause in titles.items()}
        raise UnknownNameError("cause or sign", name, [*causes, *signs], aliases)
    if isinstance(unit, Cause):
        page, data = cause_page(unit), as_json([unit])
    else:
        page, data = sign_page(unit), as_json(signs=[unit])
    return publish(arguments, unit.slug, as_text(page), str(page), data)
