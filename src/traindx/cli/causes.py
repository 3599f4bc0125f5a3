"""`traindx causes`: the knowledge base."""

import argparse

from traindx.cli._options import add_documents

HELP = "list the causes of failing training runs that traindx knows"
EXAMPLES = """\
  traindx causes                               all causes, a line each
  traindx causes --by symptom                  from what you see to the possible causes
  traindx causes --by misdiagnosis             what people say and blame, and what it often is
  traindx causes --json -                      everything about all causes, as data
  traindx explain overfitting                  everything about one cause"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of causes."""
    parser.add_argument(
        "--by",
        choices=("name", "symptom", "misdiagnosis"),
        default="name",
        help="how to list them (default: by name)",
    )
    add_documents(parser, "causes.md", "causes.json")


def run(arguments: argparse.Namespace) -> int:
    """List every cause, built in or of a plugin."""
    from traindx.cli._knowledge import as_json, list_as_text, table_as_text, tell
    from traindx.cli._pages import causes_table, misdiagnoses_table, symptoms_table
    from traindx.diagnosis import knowledge

    causes = knowledge.causes()
    tables = {"name": causes_table, "symptom": symptoms_table, "misdiagnosis": misdiagnoses_table}
    table = tables[arguments.by](causes)
    text = list_as_text(causes) if arguments.by == "name" else table_as_text(table)
    return tell(arguments, "causes", text, f"# Causes\n\n{table}\n", as_json(causes))
