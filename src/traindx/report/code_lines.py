"""Code whose lines fit a width and can still be copied."""

import textwrap
from collections.abc import Iterator


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
    places = [place for place in _breaks(line) if line[:place].strip() and place <= width - len(" \\")]
    if len(line) <= width or not places:
        return [line]
    bracketed = [place for place in places if open_before + _opened(line[:place]) > 0]
    place = max(bracketed or places)
    head = line[:place] if bracketed else f"{line[:place]} \\"
    rest = f"{indent}{line[place + 1 :]}"
    return [head, *_broken(rest, indent, width, open_before + _opened(head))]


def _breaks(line: str) -> Iterator[int]:
    """The blanks of a line that stand in no text of quotes."""
    quote = ""
    for index, character in enumerate(line):
        if character in "\"'":
            quote = "" if quote == character else quote or character
        elif character == " " and not quote:
            yield index


def _opened(line: str) -> int:
    """How many brackets a piece of a line opens, less those it closes."""
    return sum(line.count(one) for one in "([{") - sum(line.count(one) for one in ")]}")
