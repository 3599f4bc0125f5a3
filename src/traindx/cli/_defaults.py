"""Defaults of a project: `[tool.traindx]` may set any option of any command.

[tool.traindx]
out = "runs"            # of every command that has --out
fail-on = ["sick:0.9"]

[tool.traindx.run]      # of one command
budget = 1
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from traindx.errors import SettingsError
from traindx.settings import defaults_in


def with_defaults(words: list[str], parser: argparse.ArgumentParser) -> list[str]:
    """The words of a command with the options of the project behind its name, so that typed ones win."""
    path = [word for word in words[:2] if not word.startswith("-")]
    commands = _commands(parser)
    chosen = commands.get(path[0]) if path else None
    if chosen is None:
        return words
    known = {name for one in commands.values() for name in _options(one)}
    table, where = defaults_in(Path.cwd(), known, commands)
    of_command = table.get(path[0], {})
    if not isinstance(of_command, Mapping):
        raise SettingsError(
            f"{where}: {path[0]} must be a table of options, such as [tool.traindx.{path[0]}]"
        )
    unknown = [name for name in of_command if name not in _options(chosen)]
    if unknown:
        raise SettingsError(f"{where}: traindx {path[0]} has no option --{unknown[0]}; see its --help")
    shared = {name: value for name, value in table.items() if name not in commands}
    values = {**shared, **of_command}
    added = [
        word for name, value in values.items() if name in _options(chosen) for word in _typed(name, value)
    ]
    position = words.index(path[0]) + 1
    return [*words[:position], *added, *words[position:]]


def _commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands, by name."""
    groups = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
    return dict(groups[0].choices) if groups else {}


def _options(parser: argparse.ArgumentParser) -> set[str]:
    return {
        option.removeprefix("--")
        for action in parser._actions
        for option in action.option_strings
        if option.startswith("--")
    }


def _typed(name: str, value: object) -> Sequence[str]:
    """An option as it would be typed."""
    if isinstance(value, bool):
        return [f"--{name}"] if value else []
    if isinstance(value, list):
        return [word for one in value for word in _typed(name, one)]
    return [f"--{name}", str(value)]
