"""How finely curves are drawn and how much is listed: a page of many runs must stay small."""

from dataclasses import dataclass

_LISTED = 40


@dataclass(frozen=True)
class Detail:
    """Columns of each kind of drawing, with two points in each; and whether lists are cut to their length."""

    chart: int
    still: int
    tiny: int
    brief: bool
    """Whether what was answered with no or ruled out is counted and not listed."""


def detail_for(runs: int) -> Detail:
    """As fine as a screen can show for a few runs, coarser for hundreds."""
    many = max(runs, 1)
    return Detail(
        chart=max(100, min(2000, 16_000 // many)),
        still=max(40, min(400, 3_200 // many)),
        tiny=max(24, min(60, 2_400 // many)),
        brief=many > _LISTED,
    )
