"""Numbers and names as people read them; nothing from a log reaches a terminal or a page unchecked."""

import math
import unicodedata

SCHEMA = "traindx.report/1"
"""What every JSON document of traindx says it is; its `kind` tells which."""

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


def number(value: float) -> str:
    """A value with four significant digits, without noise: 0.4123, 12,345, 1.2e-07, nan."""
    if not math.isfinite(value):
        return str(value)
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e7 or size < 1e-4:
        return f"{value:.3g}"
    if value == int(value):
        return f"{int(value):,}"
    if size >= 1000:
        return f"{value:,.1f}"
    return f"{value:.4g}"


def step(value: float) -> str:
    """A position: whole where it is whole."""
    return f"{int(value):,}" if value == int(value) else f"{value:.4g}"


def count(amount: int, noun: str, plural: str = "") -> str:
    """1 run, 2 runs."""
    return f"{amount:,} {noun if amount == 1 else plural or noun + 's'}"


def listed(names: list[str], most: int = 6) -> str:
    """The first names of a list and how many follow."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def percent(share: float) -> str:
    """A probability as people read it; never 0 or 100, which nothing is."""
    if share > 0.99:
        return ">99 %"
    return "<1 %" if share < 0.01 else f"{100 * share:.0f} %"


def duration(seconds: float) -> str:
    """Seconds, minutes or hours, whichever reads best."""
    units = ((1e-3, 1e-6, "us"), (1.0, 1e-3, "ms"), (120.0, 1.0, "s"), (7200.0, 60.0, "min"))
    below = [(size, unit) for limit, size, unit in units if seconds < limit]
    size, unit = below[0] if below else (3600.0, "h")
    amount = seconds / size
    return f"{amount:.0f} {unit}" if amount >= 10 else f"{amount:.2g} {unit}"
