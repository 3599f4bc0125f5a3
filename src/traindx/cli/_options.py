"""The options that commands share."""

import argparse

from traindx.cli._formats import FORMATS

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from collections.abc import Callable, Container


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
        "paths",
        nargs="*",
        metavar="PATH",
        help="a log file, a run's folder, a tree of runs, or - for stdin (default: what was recorded last)",
    )
    add_option(
        parser,
        "--map NAME=QUANTITY",
        "read NAME as QUANTITY (listed in docs/quantities.md); may be repeated",
        repeated=True,
    )
    add_option(parser, "--follow", "diagnose again whenever the logs grow, until Ctrl-C")


def add_judging(parser: argparse.ArgumentParser, *, follows: bool = True) -> None:
    """How to judge, and what to make of it; `follows`: beside --follow."""
    add_option(
        parser,
        "--limit CHECK.NAME=VALUE",
        "override a threshold of a check (traindx explain CHECK lists them; keep it in"
        " [tool.traindx.limits] of pyproject.toml); may be repeated",
        repeated=True,
    )
    add_option(
        parser,
        "--fail-on CONDITION",
        "exit with 1 if a run is sick, inconclusive, or has a CAUSE (see traindx causes);"
        " sick:0.9 requires at least 90%% confidence; may be repeated"
        + ("; ends --follow" if follows else "; stops the program"),
        repeated=True,
    )


def add_exams(parser: argparse.ArgumentParser) -> None:
    """What is known besides the run."""
    add_option(
        parser,
        "--exam FILE",
        "use the JSON of traindx examine, preflight or lr-find on the same program as evidence;"
        " may be repeated",
        repeated=True,
    )


def add_outputs(parser: argparse.ArgumentParser, without: "Container[str]" = ()) -> None:
    """Where the report goes besides the terminal; a command that judges nothing goes without annotations."""
    add_detail(parser, "verdict, cause, confidence, file:line, report")
    add_option(parser, "--open", "open the HTML report in a browser")
    for name, one in FORMATS.items():
        if name not in without:
            add_option(parser, one.option, one.says)
    add_option(parser, "--values", "include every step and value in the JSON")


def add_detail(parser: argparse.ArgumentParser, line: str) -> None:
    """How much is shown; `line` is what a single one says."""
    add_option(parser, "--all", "show everything")
    add_option(parser, "--quiet", f"print one line: {line}")


def add_documents(parser: argparse.ArgumentParser, markdown: str, json: str, html: str = "") -> None:
    """Where Markdown, JSON and the page go, and what they are called in a folder."""
    if html:
        add_option(parser, "--html FILE", f"write an HTML page that works offline (in a folder: {html})")
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
        "run in the working directory, one run at a time, instead of in copies of it (up to 256 MB);"
        " the program may overwrite its own files",
    )


def add_folder(parser: argparse.ArgumentParser, one: str, several: str, folder: str) -> None:
    """What the work of a command is called, and where it is kept."""
    add_option(parser, "--name NAME", f"name of the {one} (default: the script's name and a number)")
    add_option(parser, "--out DIR", f"folder for {several} (default: {folder})", default=folder)


def words_of(arguments: argparse.Namespace) -> list[str]:
    """The words of the program as they were typed."""
    if arguments.module is None:
        return list(arguments.words)
    # An option takes the rest only as far as a "--"; what follows it is the module's as well.
    return ["-m", *arguments.module, *arguments.words]


def note_misplaced(arguments: argparse.Namespace) -> None:
    """Say which of our options stand behind the script and so went to it, unless it knows them itself."""
    import shlex
    import sys
    from importlib import import_module

    words, command = words_of(arguments), arguments.command
    if not words or not words[0].endswith(".py"):
        return
    parser = argparse.ArgumentParser(add_help=False)
    import_module(f"traindx.cli.{command.replace('-', '_')}").configure(parser)
    ours = {option: action for action in parser._actions for option in action.option_strings}
    for index, word in enumerate(words[1:], start=1):
        option, equals, _ = word.partition("=")
        if not option.startswith("--") or option not in ours or _is_read_by(words[0], option):
            continue
        takes_next = not equals and ours[option].nargs is None
        typed = shlex.join(words[index : index + 1 + takes_next])
        place = f"put it before the script: traindx {command} {typed} {shlex.quote(words[0])}"
        sys.stderr.write(f"traindx {command}: {typed} went to {words[0]}; {place}\n")


def _is_read_by(script: str, option: str) -> bool:
    """Whether a script seems to parse an option: it spells it out, or names it where it spells out none."""
    import re

    try:
        with open(script, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return True
    name = re.escape(option.removeprefix("--")).replace(r"\-", "[-_]")
    spelled_out = re.search(r"""["']--\w""", text)
    return re.search(rf"--{name}\b" if spelled_out else rf"\b{name}\b", text) is not None


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
