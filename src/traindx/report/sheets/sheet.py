"""The type of what is shown of an exam of a model, whatever the output."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from traindx.finding import Finding


@dataclass(frozen=True)
class Column:
    """A column of the table."""

    heading: str
    is_number: bool = True
    is_extra: bool = False
    """Whether it is left out where there is little room."""


@dataclass(frozen=True)
class Sheet:
    """An exam in words."""

    kind: str
    """What was examined: "gradients"."""
    title: str
    problems: tuple[Finding, ...]
    fine: str
    """What is said where there is no problem."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    """A text for each column."""
    named: tuple[int, ...]
    """The rows that problems are about."""
    told: str
    """What stands in the columns."""
    sections: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Further remarks, each under a heading."""
    notes: tuple[str, ...] = ()


def layers_named(problems: Iterable[Finding]) -> set[str]:
    """All layers that problems name."""
    return {layer for one in problems for layer in one.layers}


def places_of(names: Iterable[str], wanted: Collection[str]) -> tuple[int, ...]:
    """Where the wanted ones stand."""
    return tuple(place for place, name in enumerate(names) if name in wanted)


def titled(what: str, *more: str) -> str:
    """The parts of a title that are there."""
    return " · ".join(one for one in (what, *more) if one)


def short(value: float | None) -> str:
    """A number in two digits; empty where there is none."""
    return "" if value is None else f"{value:.2g}"


def share(value: float | None) -> str:
    """A share in percent; empty where there is none."""
    return "" if value is None else f"{value:.0%}"
