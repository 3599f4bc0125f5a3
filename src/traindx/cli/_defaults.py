"""Defaults of a project: `[tool.traindx]` may set any option of any command.

[tool.traindx]
out = "runs"            # of every command that has --out
fail-on = ["sick:0.9"]  # of every command that judges runs

[tool.traindx.run]      # of one command
budget = 1

[tool.traindx.examine.data]
fail-on = "warn"
"""

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

from traindx.cli import did_you_mean
from traindx.errors import SettingsError
from traindx.settings import defaults_in

_TAKES = {"fail-on": "CONDITION"}
"""What an option takes that all commands share, where some call something else by its name."""


def with_defaults(words: list[str], parser: argparse.ArgumentParser) -> list[str]:
    """The words of a command with the options of the project behind its name, so that typed ones win."""
    path, position = _command(words, parser)
    if not path:
        return words
    table, file = defaults_in(Path.cwd(), _all_options(parser), commands_of(parser))
    options = _options(_found(parser, path))
    values = {
        name: (value, f"{file}: [tool.traindx]")
        for name, value in table.items()
        if name in options and _TAKES.get(name, options[name].metavar) == options[name].metavar
    }
    for depth, name in enumerate(path, start=1):
        inner = table.get(name, {})
        where = f"{file}: [tool.traindx.{'.'.join(path[:depth])}]"
        if not isinstance(inner, Mapping):
            raise SettingsError(f"{where}: expected a table of options")
        table = inner
        _refuse_unknown(table, _found(parser, path[:depth]), where)
        values |= {name: (value, where) for name, value in table.items() if name in options}
    added = [
        word
        for name, (value, where) in values.items()
        if not (_is_repeated(options[name]) and _is_typed(name, words))
        for word in _typed(name, value, options[name], where)
    ]
    return [*words[:position], *added, *words[position:]]


def _command(words: list[str], parser: argparse.ArgumentParser) -> tuple[list[str], int]:
    """The names of a command, two where it is one of a command, and where the words behind them begin."""
    path, position = [], 0
    while (commands := commands_of(parser)) and (
        index := next((at for at, word in enumerate(words) if at >= position and word in commands), None)
    ) is not None:
        path.append(words[index])
        parser, position = commands[words[index]], index + 1
    return path, position


def _found(parser: argparse.ArgumentParser, path: list[str]) -> argparse.ArgumentParser:
    for name in path:
        parser = commands_of(parser)[name]
    return parser


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands that a parser takes, by name."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(groups[0].choices) if groups else {}


def _options(parser: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    return {
        option.removeprefix("--"): action
        for action in parser._actions
        for option in action.option_strings
        if option.startswith("--") and action.dest != "help"
    }


def _all_options(parser: argparse.ArgumentParser) -> set[str]:
    """The options of a command and of all commands that it has."""
    below = (_all_options(command) for command in commands_of(parser).values())
    return set(_options(parser)).union(*below)


def _refuse_unknown(table: Mapping[str, object], parser: argparse.ArgumentParser, where: str) -> None:
    known = [*_all_options(parser), *commands_of(parser)]
    for name in table:
        if name not in known:
            hint = did_you_mean(name, known) or f"see {parser.prog} --help"
            raise SettingsError(f'{where}: unknown option "{name}"; {hint}')


def _is_repeated(action: argparse.Action) -> bool:
    return isinstance(action, argparse._AppendAction)


def _is_typed(name: str, words: list[str]) -> bool:
    """Whether an option that adds up was typed: the project's would stay beside it."""
    return any(word.partition("=")[0] == f"--{name}" for word in words)


def _typed(name: str, value: object, action: argparse.Action, where: str) -> Iterator[str]:
    """An option as it would be typed; refused where the command would not take it."""
    if action.nargs == 0:
        if not isinstance(value, bool):
            raise SettingsError(f'{where}: {name} must be true or false, got "{value}"')
        yield from [f"--{name}"] if value else []
        return
    for each in value if isinstance(value, list) and _is_repeated(action) else [value]:
        if isinstance(each, bool) or not isinstance(each, str | int | float):
            raise SettingsError(f'{where}: {name} must be one text or number, got "{each}"')
        _refuse_value(name, str(each), action, where)
        yield f"--{name}={each}"


def _refuse_value(name: str, text: str, action: argparse.Action, where: str) -> None:
    choices = [str(choice) for choice in action.choices or ()]
    if choices and text not in choices:
        raise SettingsError(f'{where}: {name} must be one of {", ".join(choices)}, got "{text}"')
    try:
        if callable(action.type):
            action.type(text)
    except (ValueError, argparse.ArgumentTypeError) as error:
        says = error if isinstance(error, argparse.ArgumentTypeError) else f'can\'t be "{text}"'
        raise SettingsError(f"{where}: {name}: {says}") from error
