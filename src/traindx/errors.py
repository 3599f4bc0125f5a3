"""What can go wrong, each error a sentence of three parts: what we got, where, what to do.

TraindxError
├── UnreadableError    a path holds nothing we can read
├── UnknownNameError   a quantity, fact or cause that does not exist
├── SettingsError      a [tool.traindx] table that makes no sense
└── PluginError        a reader of another package that cannot be loaded
"""

from collections.abc import Iterable, Mapping

_SHOWN = 12
"""Names that a sentence may hold."""


class TraindxError(Exception):
    """The base of every error traindx raises on purpose; its text is meant for the user."""


class UnreadableError(TraindxError):
    """Nothing could be read from a path."""

    def __init__(self, where: str, what: str, todo: str = "") -> None:
        """Keep the parts, so that callers can list several such places in one sentence."""
        self.where, self.what, self.todo = where, what, todo
        self.parts = (where, what, todo)
        super().__init__(f"{where}: {what}" + (f"; {todo}" if todo else ""))


def refused(path: str, error: OSError) -> UnreadableError:
    """The sentence for a path that the system does not let us read."""
    if isinstance(error, PermissionError):
        return UnreadableError(path, "permission denied", "make it readable: chmod +r")
    return UnreadableError(path, (error.strerror or str(error)).lower(), "check the path")


class UnknownNameError(TraindxError):
    """A name that should be one of a known set is not."""

    def __init__(
        self,
        kind: str,
        name: str,
        known: Iterable[str],
        aliases: Mapping[str, str] | None = None,
        *,
        todo: str = "",
    ) -> None:
        """Suggest the known name that is nearest, itself or by an alias; where none is near, what to do."""
        import difflib

        known = list(known)
        names = {alias.lower(): old for alias, old in (aliases or {}).items()}
        names |= {each.lower(): each for each in known}
        near = difflib.get_close_matches(name.lower(), list(names), n=1)
        hint = f"did you mean {names[near[0]]}?" if near else todo or f"known: {_some(known)}"
        super().__init__(f'unknown {kind} "{name}"; {hint}')


def _some(names: list[str]) -> str:
    return f"{', '.join(names[:_SHOWN])}{' and more' if len(names) > _SHOWN else ''}" if names else "none"


class SettingsError(TraindxError):
    """A settings file holds something traindx does not understand."""


class PluginError(TraindxError):
    """A plugin that registered itself cannot be used."""
