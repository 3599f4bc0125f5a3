"""What the commands share that run a program of the user's: how it is named, and its words."""

import argparse


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
    """Where a program is run that would be run in copies of the working directory."""
    parser.add_argument(
        "--in-place",
        action="store_true",
        help="run the program in the working directory, one run after the other, not in copies of it (up to"
        " 256 MB): it may overwrite what it has written before",
    )


def words_of(arguments: argparse.Namespace) -> list[str]:
    """The words of the program as they were typed."""
    if arguments.module is None:
        return list(arguments.words)
    # An option takes the rest only as far as a "--"; what follows it is the module's as well.
    return ["-m", *arguments.module, *arguments.words]
