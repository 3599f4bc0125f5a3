"""`traindx completion`: completion of commands, options, causes and run names in a shell."""

import argparse
import os
import sys
from collections.abc import Iterable

from traindx.cli import DONE, WORDS

HELP = "print a script that completes traindx commands in bash, zsh or fish"
EXAMPLES = """\
  eval "$(traindx completion bash)"            in ~/.bashrc
  eval "$(traindx completion zsh)"             in ~/.zshrc
  traindx completion fish | source             in ~/.config/fish/config.fish"""

_SCRIPTS = {
    # Not compgen -W: it would run what a folder's name spells as a command.
    "bash": """\
_traindx() {
    local word
    COMPREPLY=()
    while IFS= read -r word; do
        printf -v word %q "$word"
        COMPREPLY+=("$word")
    done < <("${1/#\\~\\//$HOME/}" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _traindx traindx
""",
    "zsh": """\
_traindx() {
    local -a found
    found=(${(f)"$(${~words[1]} completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)"})
    if (( $#found )); then
        compadd -a found
    else
        _files
    fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
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
    parser.add_argument("typed", nargs="*", default=[], metavar="WORD", help=argparse.SUPPRESS)


def run(arguments: argparse.Namespace) -> int:
    """Print the script of a shell, or the words that may come next."""
    if arguments.shell in _SCRIPTS:
        sys.stdout.write(_SCRIPTS[arguments.shell])
    else:
        sys.stdout.write("".join(f"{word}\n" for word in next_words(arguments.typed)))
    return DONE


def next_words(typed: list[str]) -> list[str]:
    """What may stand in the place of the last word; nothing where a file is expected."""
    from traindx.cli import build_parser
    from traindx.cli._defaults import commands_of

    *before, current = typed[1:] if typed[:1] == ["help"] and typed[1:] else typed or [""]
    parser, commands = build_parser()
    for word in before:
        parser = commands_of(parser).get(word, parser)
    option = next(
        (action for action in parser._actions if before and before[-1] in action.option_strings), None
    )
    words: Iterable[str]
    if option is not None and option.nargs != 0:
        words = _values(option)
    elif current.startswith("-"):
        words = (name for action in parser._actions for name in action.option_strings if name[:2] == "--")
    elif before and before[0] in commands:
        words = commands_of(parser) or _choices(parser) or _names(before[0])
    else:
        words = (*WORDS, *commands)
    return [word for word in words if word.startswith(current)]


def _choices(parser: argparse.ArgumentParser) -> list[str]:
    """What an argument without a name may be."""
    return [
        str(choice)
        for action in parser._actions
        if not action.option_strings
        for choice in action.choices or ()
    ]


def _values(option: argparse.Action) -> list[str]:
    """What may stand behind an option; nothing where that is a file, a number or a name of the user's."""
    if option.choices is not None:
        return [str(choice) for choice in option.choices]
    others = {"CAUSE": (), "CONDITION": ("sick", "inconclusive"), "RESULT": ("fail", "warn", "never")}
    metavar = str(option.metavar)
    return [*others[metavar], *_causes()] if metavar in others else []


def _causes() -> list[str]:
    # By their files: the causes themselves take a second to load.
    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "causes")
    modules = (name for name in sorted(os.listdir(folder)) if name.endswith(".py") and name[0] != "_")
    return [name.removesuffix(".py").replace("_", "-") for name in modules]


def _names(command: str) -> list[str]:
    """Causes, runs or treatments."""
    if command == "explain":
        return _causes()
    if command in ("diagnose", "inspect", "compare"):
        return [f"{_RUNS}/{name}" for name in _folders(_RUNS)]
    return _folders(_TREATMENTS) if command == "apply" else []


def _folders(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []
