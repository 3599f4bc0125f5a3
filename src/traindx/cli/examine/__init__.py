"""`traindx examine`: a look at one part of a training, without training; each exam is a module here."""

import argparse

from traindx.cli import add_commands, commands_in
from traindx.cli._options import add_detail, add_documents, add_option

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


def add_subject(parser: argparse.ArgumentParser, *, wants_data: bool, has_loss: bool = True) -> None:
    """The model, its weights and a batch."""
    add_option(
        parser,
        "--checkpoint FILE",
        "weights (state_dict or safetensors, with --model), a TorchScript file, or with --trust a"
        " pickled model or a .pt2 program",
    )
    add_option(
        parser,
        "--model MODULE:NAME",
        "a class, a function or a model in your code, called without arguments; also FILE.py:NAME",
    )
    add_option(
        parser,
        "--data FILE",
        "samples: .pt with a tensor, (inputs, targets) or a dictionary; .npz, .npy, .safetensors; or"
        " MODULE:NAME of a function that gives them" + ("" if wants_data else "; shows more of the model"),
    )
    if has_loss:
        add_option(
            parser,
            "--loss NAME",
            "cross_entropy, mse, bce_with_logits, another of torch's, or MODULE:FUNCTION of output and"
            " target (default: a guess from the targets, which is said)",
        )
    add_option(parser, "--rows N", "samples to take of the file, from its start", type=positive)
    add_option(parser, "--trust", "load files that run code of whoever made them: pickles, .pt2")


def add_recorded_program(parser: argparse.ArgumentParser, exam: str) -> None:
    """A program whose first steps are recorded, instead of a model and a batch."""
    parser.usage = f"traindx examine {exam} [options] (--checkpoint FILE | --model MODULE:NAME) --data FILE\n"
    parser.usage += f"       traindx examine {exam} [options] (SCRIPT.py | -- CMD) [argument ...]"
    parser.add_argument(
        "words", nargs=argparse.REMAINDER, metavar="CMD", help="a program that trains, with its arguments"
    )
    parser.add_argument(
        "--command",
        dest="program",
        nargs=argparse.REMAINDER,
        metavar="CMD",
        help="the same as --: everything after it is the program's",
    )
    add_option(
        parser,
        "--max-steps N",
        "end the program after N optimizer steps (default: 20)",
        type=positive,
        default=20,
    )


def add_results(parser: argparse.ArgumentParser, exam: str, picture: str) -> None:
    """Where the results go."""
    add_detail(parser, "verdict and worst problem")
    add_documents(parser, f"{exam}_exam.md", f"{exam}_exam.json", f"{exam}_exam.html")
    if picture:
        add_option(parser, "--png FILE", f"draw a picture (in a folder: {picture}); needs matplotlib")
    add_exam_condition(parser)


def add_exam_condition(parser: argparse.ArgumentParser) -> None:
    """When an exam makes the command end with exit code 1."""
    says = (
        "exit with 1 on FAIL (the default), on warn or worse, if a CAUSE is named, or never; may be repeated"
    )
    add_option(parser, "--fail-on RESULT", says, repeated=True)


def positive(text: str) -> int:
    """A number of samples or steps."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f'expected a whole number above 0, got "{text}"; for example 256')
    return int(text)
