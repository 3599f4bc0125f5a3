"""The options that commands share."""

import argparse

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from collections.abc import Callable


def add_option(
    parser: argparse.ArgumentParser,
    spelled: str,
    says: str,
    *,
    type: "Callable[[str], object]" = str,  # noqa: A002  # as argparse calls it
    default: object = None,
    repeated: bool = False,
) -> None:
    """Add an option by its name and what it takes, as "--steps N"; one that takes nothing is a flag.

    One that may be repeated gives a list.
    """
    option, _, metavar = spelled.partition(" ")
    if not metavar:
        parser.add_argument(option, action="store_true", help=says)
    elif repeated:
        parser.add_argument(option, action="append", default=[], metavar=metavar, help=says)
    else:
        parser.add_argument(option, type=type, default=default, metavar=metavar, help=says)


def add_reading(parser: argparse.ArgumentParser) -> None:
    """What to read, and how."""
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="a log file, a run's folder, a tree of runs, or - for stdin"
    )
    add_option(
        parser,
        "--map NAME=QUANTITY",
        "read the values called NAME as QUANTITY (docs/quantities.md lists them); may be repeated",
        repeated=True,
    )
    add_option(parser, "--follow", "report again whenever the logs grow, until Ctrl-C")


def add_judging(parser: argparse.ArgumentParser, *, follows: bool = True) -> None:
    """How to judge, and what to make of it; `follows`: beside --follow."""
    add_option(
        parser,
        "--limit SIGN.NAME=VALUE",
        "judge with another limit (traindx explain SIGN shows them; [tool.traindx.limits] in"
        " pyproject.toml keeps them); may be repeated",
        repeated=True,
    )
    add_option(
        parser,
        "--fail-on CONDITION",
        "exit with 1 when a run is sick, inconclusive, or suffers from a CAUSE (see traindx causes);"
        " sick:0.9 or CAUSE:0.8 wants at least that confidence; may be repeated"
        + ("; when met it ends --follow" if follows else "; a run that meets it while sick is stopped"),
        repeated=True,
    )


def add_exams(parser: argparse.ArgumentParser) -> None:
    """What is known besides the run."""
    add_option(
        parser,
        "--exam FILE",
        "count an exam of the same training as evidence: the JSON of traindx examine, preflight or"
        " lr-find; may be repeated",
        repeated=True,
    )


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """Where the report goes besides the terminal."""
    add_option(parser, "--all", "shorten no list")
    add_documents(parser, "diagnostic_report.md", "report.json", "report.html")
    add_option(parser, "--values", "put every step and value into the JSON")
    add_option(parser, "--png DIR", "write pictures of the curves; needs matplotlib (traindx[plots])")


def add_documents(parser: argparse.ArgumentParser, markdown: str, json: str, html: str = "") -> None:
    """Where Markdown, JSON and the page go, and what they are called in a folder."""
    if html:
        add_option(parser, "--html FILE", f"write a page that opens offline (in a folder: {html})")
    add_option(parser, "--md FILE", f"write Markdown; - for standard output (in a folder: {markdown})")
    add_option(parser, "--json FILE", f"write JSON; - for standard output (in a folder: {json})")


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
    add_option(
        parser,
        "--in-place",
        "run the program in the working directory, one run after the other, not in copies of it (up to"
        " 256 MB): it may overwrite what it has written before",
    )


def add_folder(parser: argparse.ArgumentParser, one: str, several: str, folder: str) -> None:
    """What the work of a command is called, and where it is kept."""
    add_option(parser, "--name NAME", f"what the {one} is called (default: as the script, numbered)")
    add_option(parser, "--out DIR", f"where {several} are kept (default: {folder})", default=folder)


def words_of(arguments: argparse.Namespace) -> list[str]:
    """The words of the program as they were typed."""
    if arguments.module is None:
        return list(arguments.words)
    # An option takes the rest only as far as a "--"; what follows it is the module's as well.
    return ["-m", *arguments.module, *arguments.words]


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
    add_option(parser, "--all", "shorten no table")
    add_documents(parser, f"{exam}_exam.md", f"{exam}_exam.json", f"{exam}_exam.html")
    if picture:
        add_option(parser, "--png FILE", f"draw a picture (in a folder: {picture}); needs matplotlib")
    add_exam_condition(parser)


def add_exam_condition(parser: argparse.ArgumentParser) -> None:
    """When an exam makes the command end with exit code 1."""
    says = "exit with 1 when the verdict is fail, warn (or worse), or a CAUSE is named; may be repeated"
    add_option(parser, "--fail-on CONDITION", says, repeated=True)


def positive(text: str) -> int:
    """A number of samples or steps."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f'"{text}" is no whole number above 0; for example 256')
    return int(text)
