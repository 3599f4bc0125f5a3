"""`traindx examine`: a look at one part of a training, without training; each exam is a module here."""

import argparse

from traindx.cli import commands_in, describe

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from traindx.cli import Command

HELP = "examine one part of a training before it is trained: its data, its model"
EXAMPLES = """\
  traindx examine data --help                  what an exam looks for, and what it takes
  traindx examine gradients --model traindx.demo.nets:deep --data traindx.demo.nets:batch"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the exams, with the arguments of each."""
    chosen = parser.add_subparsers(dest="exam", metavar="EXAM", title="exams", required=True)
    for name, exam in exams().items():
        describe(exam, chosen.add_parser(name, help=exam.HELP))


def run(arguments: argparse.Namespace) -> int:
    """Run the exam that was named; its exit code is ours."""
    return exams()[arguments.exam].run(arguments)


def exams() -> "dict[str, Command]":
    """The exams there are, by name."""
    return commands_in(__name__)
