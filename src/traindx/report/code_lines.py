"""Code whose lines fit a width and can still be copied."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass


def fitted(code: str, width: int) -> str:
    """Lines that fit, but for long quotes: a comment moves above its line, a statement goes on below."""
    return "\n".join(part for line in code.splitlines() for part in _fitted_line(line, width))


def _fitted_line(line: str, width: int) -> list[str]:
    if len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())]
    if line.lstrip().startswith("#"):
        return textwrap.wrap(line, width, subsequent_indent=f"{indent}# ", break_on_hyphens=False)
    statement, behind, comment = line.partition("  # ")
    if behind:
        return [*_fitted_line(f"{indent}# {comment}", width), *_fitted_line(statement, width)]
    return _broken(line, f"{indent}        ", width, open_before=0)


def _broken(line: str, indent: str, width: int, open_before: int) -> list[str]:
    """A statement over several lines, broken inside brackets if possible and with a backslash if not."""
    if len(line) <= width:
        return [line]
    usable = [cut for cut in _cuts(line) if line[: cut.end].strip() and cut.end <= width - len(" \\")]
    bracketed = [cut for cut in usable if open_before + _opened(line[: cut.end]) > 0]
    blanks = [cut for cut in bracketed if cut.is_blank]
    # A blank reads best; a long call has none before its arguments.
    choice = blanks or bracketed or usable
    if not choice:
        return [line]
    cut = choice[-1]
    head = line[: cut.end] if bracketed else f"{line[: cut.end]} \\"
    rest = f"{indent}{line[cut.end :].lstrip()}"
    lines = [head, *_broken(rest, indent, width, open_before + _opened(head))]
    return lines if cut.is_blank or max(map(len, lines)) <= width else [line]


@dataclass(frozen=True)
class _Cut:
    """A position at which a line can be broken."""

    end: int
    """Of what stays on the line."""
    is_blank: bool
    """Whether a blank follows; else a bracket was opened before it."""


def _cuts(line: str) -> Iterator[_Cut]:
    """The blanks and opening brackets of a line that are outside of quotes."""
    quote = ""
    for index, character in enumerate(line):
        if character in "\"'":
            quote = "" if quote == character else quote or character
        elif character == " " and not quote:
            yield _Cut(index, is_blank=True)
        elif character in "([{" and not quote:
            yield _Cut(index + 1, is_blank=False)


def _opened(line: str) -> int:
    """How many brackets a piece of a line opens, less those it closes."""
    return sum(line.count(one) for one in "([{") - sum(line.count(one) for one in ")]}")
