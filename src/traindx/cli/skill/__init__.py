"""`traindx skill`: what an agent has to know to use traindx well; its commands are modules here."""

import argparse

from traindx.cli import add_commands, commands_in

HELP = "install or show the skill that teaches AI agents to use traindx"
EXAMPLES = """\
  traindx skill install --agent claude         for Claude Code, in this project
  traindx skill show                           read it"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what can be done with the skill."""
    add_commands(parser, __name__, "action", required=True)


def run(arguments: argparse.Namespace) -> int:
    """Do what was named."""
    return commands_in(__name__)[arguments.action].run(arguments)
