"""`traindx examine`: a look at one part of a training, without training; each exam is a module here."""

import argparse

from traindx.cli import add_commands, commands_in

HELP = "examine one part of a training before it is trained: its data, its model"
EXAMPLES = """\
  traindx examine data --help                  what an exam looks for, and what it takes
  traindx examine gradients --model traindx.demo.nets:deep --data traindx.demo.nets:batch"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the exams, with the arguments of each."""
    add_commands(parser, __name__, "exam", required=True)


def run(arguments: argparse.Namespace) -> int:
    """Run the exam that was named; its exit code is ours."""
    return commands_in(__name__)[arguments.exam].run(arguments)
