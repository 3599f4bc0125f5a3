"""The options that the exams of a model share."""

import argparse

from traindx.cli._options import add_documents


def add_subject(parser: argparse.ArgumentParser, *, wants_data: bool, has_loss: bool = True) -> None:
    """The model, its weights and a batch."""
    parser.add_argument(
        "--checkpoint",
        metavar="FILE",
        help="weights (state_dict or safetensors, with --model), a TorchScript file, or with --trust a"
        " pickled model or a .pt2 program",
    )
    parser.add_argument(
        "--model",
        metavar="MODULE:NAME",
        help="a class, a function or a model in your code, called without arguments; also FILE.py:NAME",
    )
    parser.add_argument(
        "--data",
        metavar="FILE",
        help="samples: .pt with a tensor, (inputs, targets) or a dictionary; .npz, .npy, .safetensors; or"
        " MODULE:NAME of a function that gives them" + ("" if wants_data else "; shows more of the model"),
    )
    if has_loss:
        parser.add_argument(
            "--loss",
            metavar="NAME",
            help="cross_entropy, mse, bce_with_logits, another of torch's, or MODULE:FUNCTION of output and"
            " target (default: a guess from the targets, which is said)",
        )
    parser.add_argument(
        "--rows", type=positive, metavar="N", help="samples to take of the file, from its start"
    )
    parser.add_argument(
        "--trust", action="store_true", help="load files that run code of whoever made them: pickles, .pt2"
    )


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
    parser.add_argument(
        "--max-steps",
        type=positive,
        default=20,
        metavar="N",
        help="end the program after N optimizer steps (default: 20)",
    )


def add_results(parser: argparse.ArgumentParser, exam: str, picture: str) -> None:
    """Where the results go."""
    parser.add_argument("--all", action="store_true", help="shorten no table")
    add_documents(parser, f"{exam}_exam.md", f"{exam}_exam.json", f"{exam}_exam.html")
    if picture:
        parser.add_argument(
            "--png", metavar="FILE", help=f"draw a picture (in a folder: {picture}); needs matplotlib"
        )
    parser.add_argument(
        "--fail-on",
        action="append",
        default=[],
        metavar="CONDITION",
        help="exit with 1 when the verdict is fail, warn (or worse), or a CAUSE is named; may be repeated",
    )


def positive(text: str) -> int:
    """A number of samples or steps."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f'"{text}" is no whole number above 0; for example 256')
    return int(text)
