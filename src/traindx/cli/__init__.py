"""The command line: one module per command, found by walking this folder.

A command module has `HELP` (one line), `EXAMPLES`, `configure(parser)` and `run(arguments) -> exit code`, and
imports what it needs inside `run`, so that `--help` and wrong usage cost nothing. What commands share is in
modules whose names begin with an underscore. `examine` and `skill` are folders with commands of their own.
"""

import argparse
import io
import os
import sys
from importlib import import_module

from traindx import __version__

TYPE_CHECKING = False  # as typing has it, without the 5 ms that importing typing takes
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import NoReturn, Protocol

    class Command(Protocol):
        """What the module of a command holds."""

        HELP: str
        EXAMPLES: str

        def configure(self, parser: argparse.ArgumentParser) -> None:
            """Add the command's arguments."""

        def run(self, arguments: argparse.Namespace) -> int:
            """Do it, and return the exit code."""


DONE, CONDITION_MET, BAD_INPUT = 0, 1, 2
COLOR = "TRAINDX_COLOR"
"""The variable that holds what --color chose."""

HOME = """\
Find out why a training run fails, and prove the fix.

Start here    traindx run train.py           record and diagnose your script
              traindx demo                   see it work, 1 min
Run           run  treat  apply  preflight  lr-find
Read logs     diagnose  compare  inspect
Examine       examine data | model | gradients | activations
Look up       explain  causes  cases  ask
Agents        mcp  skill
Shell         completion
traindx help COMMAND shows options and examples
"""
_OPTIONS = ("-h", "--help", "--version")
WORDS = ("help", "version")
"""What may stand in the place of a command."""
_NEAR = 0.6
"""How alike two names are for one to be meant by the other, as difflib has it."""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one sentence and where to look, without the whole usage."""

    def error(self, message: str) -> "NoReturn":
        """Leave with exit code 2."""
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")

    @property
    def options(self) -> list[str]:
        """The names of all options."""
        return [option for action in self._actions for option in action.option_strings]

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse what is none of the choices, with the nearest of them."""
        if action.choices is None or value in action.choices:
            return
        kind = action.option_strings[0] if action.option_strings else (action.metavar or action.dest)
        known = [str(choice) for choice in action.choices]
        hint = did_you_mean(str(value), known) or f"expected {', '.join(known)}"
        self.exit(BAD_INPUT, f'{self.prog}: unknown {str(kind).lower()} "{value}"; {hint}\n')

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]  # as argparse has it
        """Parse, and refuse what is left over, by the command that was given it and not by all of them."""
        known, left = super().parse_known_args(args, namespace)
        if left:
            option = next((word.partition("=")[0] for word in left if word.startswith("--")), "")
            hint = did_you_mean(option, self.options) if option else ""
            if hint:
                self.exit(BAD_INPUT, f'{self.prog}: unknown option "{option}"; {hint}\n')
            self.error(f"unrecognized arguments: {' '.join(left)}")
        return known, left


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run a command and return its exit code: 0 done, 1 a condition was met, 2 bad usage or input."""
    _prepare_output()
    try:
        code = _run(argv)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of our output went away (as in `| head`): that is its right, not an error.
        drop_output()
        return DONE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        sys.stderr.write(f"traindx: {where}{error.strerror or error}; the output is incomplete\n")
        drop_output()
        return BAD_INPUT


def _run(argv: "Sequence[str] | None") -> int:
    words = _normalized(list(sys.argv[1:] if argv is None else argv))
    if not words:
        sys.stdout.write(HOME)
        return DONE
    parser, commands = build_parser()
    name = next((word for word in words if not word.startswith("-")), "")
    if name and name not in commands and words[0] not in _OPTIONS:
        sys.stderr.write(f"traindx: {_unknown(words, commands)}\n")
        return BAD_INPUT
    from traindx.errors import TraindxError

    try:
        arguments = parser.parse_args(configured(words, parser))
        if arguments.command is None:
            sys.stdout.write(HOME)
            return DONE
        _choose_color(arguments.color)
        return commands[arguments.command].run(arguments)
    except TraindxError as error:
        sys.stderr.write(f"traindx {name}: {error}\n")
        return BAD_INPUT


def _normalized(words: "list[str]") -> "list[str]":
    """The words as argparse takes them: `help` and `version` are options, and --color follows the command."""
    if words[:1] == ["--color"]:
        words = [*words[2:3], *words[:2], *words[3:]]
    if words[:1] == ["version"]:
        return ["--version"]
    if words[:1] != ["help"]:
        return words
    asked = [word for word in words[1:] if word not in WORDS]
    return [*asked, "--help"] if asked else []


def _unknown(words: "Sequence[str]", commands: "Iterable[str]") -> str:
    """What is said of a first word that is no command."""
    word = next(candidate for candidate in words if not candidate.startswith("-"))
    if word.endswith(".py") or os.path.exists(word):
        verb = "run" if word.endswith(".py") else "diagnose"
        return f'unknown command "{word}"; did you mean: traindx {verb} {" ".join(words)}'
    hint = did_you_mean(word, [*commands, *WORDS]) or "traindx lists the commands"
    return f'unknown command "{word}"; {hint}'


def did_you_mean(word: str, known: "Iterable[str]") -> str:
    """A hint at the nearest of some names; empty where none is near."""
    import difflib

    # The dashes of options would make all of them alike.
    names = {name.lstrip("-"): name for name in known}
    near = difflib.get_close_matches(word.lstrip("-"), names, n=1, cutoff=_NEAR)
    return f"did you mean {names[near[0]]}?" if near else ""


def _choose_color(choice: "str | None") -> None:
    """Let --color decide, by a variable of our own: NO_COLOR and FORCE_COLOR are also the program's."""
    os.environ.pop(COLOR, None)
    if choice in ("always", "never"):
        os.environ[COLOR] = choice


def _prepare_output() -> None:
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by the caller, as in >&-
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal without the letter shows a question mark instead of no report.
        sys.stdout.reconfigure(errors="replace")


def drop_output() -> None:
    """Send what is still to be printed nowhere, so that the end of the program does not stumble over it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def configured(words: "list[str]", parser: argparse.ArgumentParser) -> "list[str]":
    """The words with the defaults of the project's `[tool.traindx]` before them."""
    if not _has_project(os.getcwd()):
        return words
    from traindx.cli._defaults import with_defaults

    return with_defaults(words, parser)


def _has_project(folder: str) -> bool:
    """Whether a pyproject.toml is at or above a folder."""
    while not os.path.isfile(os.path.join(folder, "pyproject.toml")):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return False
    return True


def build_parser() -> "tuple[argparse.ArgumentParser, dict[str, Command]]":
    """The parser of all commands, and the commands by name."""
    parser = _Parser(
        prog="traindx",
        description="Find out why a training run fails, and prove the fix.",
        epilog="traindx help COMMAND shows options and examples",
    )
    parser.add_argument("--version", action="version", version=f"traindx {__version__}")
    parser.set_defaults(color=None)
    return parser, add_commands(parser, __name__, "command")


def add_commands(
    parser: argparse.ArgumentParser, package: str, kind: str, *, required: bool = False
) -> "dict[str, Command]":
    """Let a parser take one of the commands of a package; the commands by name."""
    chosen = parser.add_subparsers(dest=kind, metavar=kind.upper(), title=f"{kind}s", required=required)
    commands = commands_in(package)
    for name, command in commands.items():
        describe(command, chosen.add_parser(name, help=command.HELP))
    return commands


def help_of(words: str, command: "Command") -> str:
    """What `traindx WORDS --help` prints, where the words are those of the command."""
    parser = argparse.ArgumentParser(prog=f"traindx {words}")
    describe(command, parser)
    return parser.format_help()


def commands_in(package: str) -> "dict[str, Command]":
    """The commands whose modules stand in a package, by name."""
    # Not pkgutil: it would import inspect and five times as much as all our commands together.
    entries = sorted(os.listdir(import_module(package).__path__[0]))
    # A command with commands of its own is a folder.
    modules = [entry.removesuffix(".py") for entry in entries if entry[0] != "_"]
    names = [module for module in modules if module.isidentifier()]
    return {name.replace("_", "-"): import_module(f"{package}.{name}") for name in names}


def describe(command: "Command", parser: argparse.ArgumentParser) -> None:
    """Give a parser what a command says of itself and what it takes."""
    parser.description = command.HELP
    parser.epilog = f"examples:\n{command.EXAMPLES}"
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    command.configure(parser)
    # Here and not with the other options: every command colors what it shows.
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        # Or a command of a command would take back what was given to the one it belongs to.
        default=argparse.SUPPRESS,
        help="color the output (default: auto)",
    )
