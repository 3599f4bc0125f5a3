"""Numbers and names as people read them; nothing from a log reaches a terminal or a page unchecked."""

import math
import unicodedata
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType

SCHEMA = "traindx.report/1"
"""The schema of every JSON document of traindx; its `kind` distinguishes them."""

_UNPRINTABLE = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def printable(text: str, limit: int = 120) -> str:
    """A name from a log without control characters, shortened in the middle if it is long."""
    if len(text) <= limit and text.isprintable():
        return text
    clean = "".join("\ufffd" if unicodedata.category(c) in _UNPRINTABLE else c for c in text)
    if len(clean) <= limit:
        return clean
    half = (limit - 1) // 2
    return f"{clean[:half]}\u2026{clean[-half:]}"


def apart(names: Sequence[str], limit: int) -> list[str]:
    """Names that are shortened where they are the same, so that what is different stays different."""
    cut: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        cut.setdefault(printable(name, limit), []).append(name)
    short = {name: text for text, group in cut.items() for name in group}
    for group in cut.values():
        short |= _apart(group, limit) if len(group) > 1 else {}
    return [short[name] for name in names]


def _apart(names: Sequence[str], limit: int) -> dict[str, str]:
    """The parts between dots that differ, with as many of the others as there is room for, from the end."""
    parts = [name.split(".") for name in names]
    if len({len(part) for part in parts}) > 1:
        return {}
    differs = [len(set(column)) > 1 for column in zip(*parts, strict=True)]
    kept = list(differs)
    for index in reversed(range(len(kept))):
        wider = [*kept[:index], True, *kept[index + 1 :]]
        if all(len(_joined(part, wider)) <= limit for part in parts):
            kept = wider
    shown = [printable(_joined(part, kept), 2 * limit) for part in parts]
    return dict(zip(names, shown, strict=True)) if max(map(len, shown)) <= limit else {}


def _joined(parts: Sequence[str], kept: Sequence[bool]) -> str:
    """Parts with dots between them, and one ellipsis for those that are left out in a row."""
    pieces = [part if is_kept else "\u2026" for part, is_kept in zip(parts, kept, strict=True)]
    single = [
        piece
        for index, piece in enumerate(pieces)
        if piece != "\u2026" or pieces[index - 1 : index] != [piece]
    ]
    return ".".join(single).replace("\u2026.", "\u2026").replace(".\u2026", "\u2026")


DIGITS = 3
"""Significant digits of a measured number."""
_MOST_DIGITS = 9
"""Digits up to which two numbers that differ are made to look different."""
_LARGEST, _SMALLEST = 1e6, 1e-4
"""Beyond these numbers are written with an exponent."""
_MOST_DECADES = 300.0
"""Powers of ten that a float can hold."""
_EXACT = 1e-6
"""Relative error up to which a number is the short one that somebody chose, stored as a 32-bit float."""


def number(value: float, digits: int = DIGITS) -> str:
    """A value as people read it: 1.10, 0.0477, 12,345, 1.23e36; with few digits as it is: 0.1, 2, 5e-5."""
    if not math.isfinite(value):
        return str(value)
    if value == 0:
        return "0"
    is_plain = _SMALLEST <= abs(value) <= _LARGEST
    if is_plain and value == int(value):
        return f"{int(value):,}"
    rounded = f"{value:.{digits - 1}e}"
    mantissa, _, exponent = rounded.partition("e")
    if is_plain:
        mantissa = f"{value:,.{max(digits - 1 - int(exponent), 0)}f}"
    if "." in mantissa and math.isclose(float(rounded), value, rel_tol=_EXACT):
        mantissa = mantissa.rstrip("0").rstrip(".")
    return mantissa if is_plain else f"{mantissa}e{int(exponent)}"


def pair(one: float, other: float) -> tuple[str, str]:
    """Two values that a sentence compares, with more digits if they would look equal and are not."""
    for digits in range(DIGITS, _MOST_DIGITS + 1):
        texts = number(one, digits), number(other, digits)
        if one == other or float(texts[0].replace(",", "")) != float(texts[1].replace(",", "")):
            return texts
    return number(one), number(other)


def multiple(ratio: float) -> str:
    """How many times: 80x, 1.5x, 6,300x."""
    return f"{number(float(f'{ratio:.2g}'))}x"


def power_of_ten(powers: float) -> str:
    """A factor that was measured in powers of ten: 1.9 is 79x."""
    return multiple(10 ** min(powers, _MOST_DECADES))


def step(value: float) -> str:
    """A position: whole where it is whole."""
    return f"{int(value):,}" if value == int(value) else number(value)


def count(amount: int, noun: str, plural: str = "") -> str:
    """1 run, 2 runs."""
    return f"{amount:,} {noun if amount == 1 else plural or noun + 's'}"


def named_layer(name: str) -> str:
    """A layer as a sentence names it."""
    return f"layer {code(name)}"


def code(name: str) -> str:
    """A name of the program, such as that of a parameter or a function."""
    return f"`{printable(name, 60)}`"


def capitalized(says: str) -> str:
    """A clause as the beginning of a sentence; identifiers such as `mse_loss` or log(0) keep their case."""
    return f"{says[:1].upper()}{says[1:]}" if says.partition(" ")[0].isalpha() else says


def uncapitalized(sentence: str) -> str:
    """A sentence or title as part of another; names such as ReLU, NaN or BatchNorm keep their case."""
    first = sentence.partition(" ")[0]
    return f"{sentence[:1].lower()}{sentence[1:]}" if first[1:].islower() or len(first) == 1 else sentence


def listed(names: list[str], most: int = 6) -> str:
    """The first names of a list and how many follow."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def percent(probability: float) -> str:
    """A probability as people read it; never 0 or 100, which nothing is."""
    if probability > 0.99:
        return ">99%"
    return "<1%" if probability < 0.01 else f"{100 * probability:.0f}%"


def percentage(value: float, decimals: int = 0) -> str:
    """A measured share: 62%, 0.3%; 0% and 100% only where it is that, to a hundredth of a percent."""
    for more in range(decimals, decimals + DIGITS):
        text = f"{100 * value:.{more}f}"
        if float(text) not in (0, 100):
            return f"{text}%"
    return f"{100 * value:.0f}%"


def duration(seconds: float) -> str:
    """Seconds, minutes or hours, whichever reads best."""
    units = ((1e-3, 1e-6, "us"), (1.0, 1e-3, "ms"), (120.0, 1.0, "s"), (7200.0, 60.0, "min"))
    below = [(size, unit) for limit, size, unit in units if seconds < limit]
    size, unit = below[0] if below else (3600.0, "h")
    amount = seconds / size
    return f"{amount:.0f} {unit}" if amount >= 10 else f"{amount:.2g} {unit}"


def clock(seconds: float) -> str:
    """Minutes and seconds as on a clock: 0:20."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class Displayed:
    """A result that `print`, `repr` and notebooks show as its report does."""

    def __str__(self) -> str:
        """The screen that a terminal shows."""
        return str(_display().screen(self))

    def __repr__(self) -> str:
        """One line: what it is, and what it says."""
        return f"<{type(self).__name__} {_display().line(self)}>"

    def _repr_html_(self) -> str:
        """The first card of the page, for Jupyter and its like."""
        return str(_display().card(self))

    def to_json(self) -> str:
        """The document that `--json` writes."""
        return str(_display().document(self))


def _display() -> ModuleType:
    """Found by name and when needed: results know nothing of output."""
    return import_module("traindx.report.display")
