"""`traindx skill`: what an agent has to know to use traindx well; its commands are modules here."""

import argparse

from traindx.cli import commands_in, describe

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.cli import Command

HELP = "install or show the skill that teaches an agent to diagnose before it fixes"
EXAMPLES = """\
  traindx skill install --agent claude         for Claude Code, in this project
  traindx skill show                           read it"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what can be done with the skill."""
    chosen = parser.add_subparsers(dest="action", metavar="ACTION", title="actions", required=True)
    for name, action in actions().items():
        describe(action, chosen.add_parser(name, help=action.HELP))


def run(arguments: argparse.Namespace) -> int:
    """Do what was named."""
    return actions()[arguments.action].run(arguments)


def actions() -> "dict[str, Command]":
    """What can be done with the skill, by name."""
    return commands_in(__name__)
