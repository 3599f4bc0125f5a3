"""`traindx completion`: completion of commands, options, causes and run names in a shell."""

import argparse
import os
import sys

from traindx.cli import DONE

HELP = "print a script that completes traindx commands in bash, zsh or fish"
EXAMPLES = """\
  eval "$(traindx completion bash)"            in ~/.bashrc
  eval "$(traindx completion zsh)"             in ~/.zshrc
  traindx completion fish | source             in ~/.config/fish/config.fish"""

_SCRIPTS = {
    "bash": """\
_traindx() {
    local IFS=$'\\n'
    COMPREPLY=($(compgen -W "$(traindx completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" \\
        -- "${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _traindx traindx
""",
    "zsh": """\
_traindx() {
    local -a found
    found=("${(@f)$(traindx completion words -- "${words[@]:1:$((CURRENT - 1))}" 2>/dev/null)}")
    compadd -a found || _files
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _traindx traindx
""",
    "fish": """\
complete -c traindx -a '(traindx completion words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
""",
}
_RUNS = ".traindx/runs"
_TREATMENTS = ".traindx/treatments"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of completion."""
    parser.add_argument("shell", choices=(*_SCRIPTS, "words"), help="the shell; words is for the scripts")
    parser.add_argument("typed", nargs="*", metavar="WORD", help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    """Print the script of a shell, or the words that may come next."""
    if arguments.shell in _SCRIPTS:
        sys.stdout.write(_SCRIPTS[arguments.shell])
    else:
        sys.stdout.write("".join(f"{word}\n" for word in next_words(arguments.typed)))
    return DONE


def next_words(typed: list[str]) -> list[str]:
    """What may stand in the place of the last word; nothing where a file is expected."""
    from traindx.cli import build_parser, commands_in

    before, current = typed[:-1], typed[-1] if typed else ""
    commands = commands_in("traindx.cli")
    if not before:
        found = ["help", *commands]
    elif current.startswith("-"):
        found = _options(build_parser()[0], before)
    else:
        found = _names(before[0])
    return [word for word in found if word.startswith(current)]


def _options(parser: argparse.ArgumentParser, words: list[str]) -> list[str]:
    """The options of the command that the words lead to."""
    for word in words:
        groups = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
        if groups and word in groups[0].choices:
            parser = groups[0].choices[word]
    return [option for action in parser._actions for option in action.option_strings if option[:2] == "--"]


def _names(command: str) -> list[str]:
    """Causes, runs or treatments, or the commands of a command."""
    if command == "explain":
        folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "causes")
        modules = (name for name in sorted(os.listdir(folder)) if name.endswith(".py") and name[0] != "_")
        return [name.removesuffix(".py").replace("_", "-") for name in modules]
    if command in ("diagnose", "inspect", "compare"):
        return [f"{_RUNS}/{name}" for name in _folders(_RUNS)]
    if command == "apply":
        return _folders(_TREATMENTS)
    if command in ("examine", "skill"):
        from traindx.cli import commands_in

        return list(commands_in(f"traindx.cli.{command}"))
    return []


def _folders(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []
