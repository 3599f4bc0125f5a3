"""`traindx causes`: the knowledge base."""

import argparse

from traindx.cli._options import add_documents

HELP = "list the causes of failing trainings that traindx knows"
EXAMPLES = """\
  traindx causes                               all causes, a line each
  traindx causes --json -                      all that is known about them, as data
  traindx explain overfitting                  one of them, in full"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of causes."""
    add_documents(parser, "causes.md", "causes.json")


def run(arguments: argparse.Namespace) -> int:
    """List every cause, built in or of a plugin."""
    from traindx import catalogue
    from traindx.cli._knowledge import as_json, list_as_text, publish
    from traindx.cli._pages import causes_table

    causes = catalogue.causes()
    markdown = f"# Causes\n\n{causes_table(causes)}\n"
    return publish(arguments, "causes", list_as_text(causes), markdown, as_json(causes))
