"""Heads of tables."""

from collections.abc import Sequence

from traindx.report.html.markup import Markup, fill, joined


def heads(words: Sequence[str], numbers_from: int) -> Markup:
    """A row of column heads; from a place on, the columns hold numbers and stand at the right."""
    return joined(
        fill(
            '<th scope="col"{kind}>{word}</th>',
            kind=Markup(' class="number"') if place >= numbers_from else Markup(),
            word=word,
        )
        for place, word in enumerate(words)
    )
