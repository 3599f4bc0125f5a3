"""Writes a page as one HTML file, or its first card for a notebook."""

from collections.abc import Iterable, Sequence
from functools import singledispatchmethod
from itertools import dropwhile, groupby, takewhile

from traindx.report import blocks as b
from traindx.report import markdown
from traindx.report.html import parts
from traindx.report.html.chart import charts, tiny
from traindx.report.html.curves import figure_of, figures_of
from traindx.report.html.markup import Markup, code, detail_for, encoded, escape, fill, joined, prose
from traindx.report.html.page_state import PageState

_FEW = 24
"""Sections that a table of contents lists; of more, a table on the screen leads to them."""
_LOGGED = 1000
"""Longest text from a log."""
Blocks = Sequence[b.Block | b.Section]


def write(page: b.Page) -> str:
    """The whole page; it is complete without script, and better with it."""
    writer = _Writer(page, live=True)
    return parts.document(
        title=page.title,
        about=writer.about(),
        main=joined([writer.screen(), writer.sections(), writer.appendix()], "\n"),
        summary=markdown.write(page),
    )


def card(page: b.Page) -> str:
    """The screen with all its sections behind one fold, as a fragment for notebooks; it runs no script."""
    writer = _Writer(page, live=False)
    return fill(
        '<div class="traindx card"><style>{style}</style><p class="about">{about}</p>{screen}{more}</div>',
        style=parts.styles("blocks.css", "card.css"),
        about=writer.about(),
        screen=writer.screen(),
        more=fill("<details><summary>more</summary>{all}</details>", all=writer.sections())
        if page.sections
        else Markup(),
    )


class _Writer:
    """Turns blocks into elements."""

    def __init__(self, page: b.Page, *, live: bool) -> None:
        self._page = page
        self._live = live
        """Whether there is a script, and links within the page."""
        self._state = PageState(page, live=live)
        self._detail = detail_for(_charts((*page.screen, *page.sections)))
        self._level = 1

    def about(self) -> Markup:
        """What the page is about, for its top edge; a page without a headline has it as its heading."""
        heads = [block for block in self._page.screen if isinstance(block, b.Header)]
        if not self._is_headed or not heads:
            return Markup()
        return parts.about(heads[0])

    @property
    def _is_headed(self) -> bool:
        return any(isinstance(block, b.Headline) for block in self._page.screen)

    def screen(self) -> Markup:
        """The first card, which answers within ten seconds, below where to go on the page."""
        blocks = list(self._page.screen)
        if self._is_headed:
            shown = self._card([block for block in blocks if not isinstance(block, b.Header)])
            return joined([shown, self._contents()])
        heads = [block for block in blocks if isinstance(block, b.Header)]
        title = Markup() if len(heads) == 1 else parts.heading(1, escape(self._page.title))
        self._level = 1 if len(heads) == 1 else 2
        return joined([title, self._flow(blocks), self._contents()])

    def sections(self) -> Markup:
        """Everything behind the screen."""
        return joined((self._section(section, 2) for section in self._page.sections), "\n")

    def appendix(self) -> Markup:
        """The pages that the report's names link to."""
        pages = [
            fill(
                '<details class="cause"><summary>{heading}</summary><div id="{id}">{body}</div></details>',
                heading=parts.heading(
                    3, fill("{title} <code>{slug}</code>", title=reference.title, slug=reference.slug)
                ),
                id=self._state.reference(reference.slug),
                body=joined(
                    self._section(block, 4) for block in reference.blocks if isinstance(block, b.Section)
                ),
            )
            for reference in self._page.references
        ]
        if not pages:
            return Markup()
        return fill(
            '<details class="appendix"><summary><h2>Pages of the causes</h2></summary>'
            '<div id="causes">{pages}</div></details>',
            pages=joined(pages),
        )

    def _contents(self) -> Markup:
        if not self._live or not 0 < len(self._page.sections) <= _FEW:
            return Markup()
        entries = [
            (self._state.section(section), section.name or section.title) for section in self._page.sections
        ]
        more = [("causes", "Causes")] if self._page.references else []
        return parts.contents([*entries, *more])

    def _card(self, blocks: Blocks) -> Markup:
        """A headline with its sentences; below it what to do, with the picture at its side."""
        pictures = [block for block in blocks if isinstance(block, b.Chart | b.Overlay)]
        rest = (block for block in self._state.carded(blocks) if not isinstance(block, b.Chart | b.Overlay))
        body = list(dropwhile(lambda block: isinstance(block, b.Gap), rest))
        lead = list(takewhile(lambda block: not isinstance(block, b.Gap), body))
        groups = [
            self._flow(list(group))
            for is_gap, group in groupby(body[len(lead) :], key=lambda block: isinstance(block, b.Gap))
            if not is_gap
        ]
        return parts.card(self._flow(lead), groups, self._flow(pictures))

    def _section(self, section: b.Section, level: int) -> Markup:
        before, self._level = self._level, level + 1
        with self._state.within(section):
            body = self._body(self._state.new(section.blocks))
        self._level = before
        heading = parts.heading(level, escape(section.title, _LOGGED))
        return parts.section(
            self._state.section(section),
            heading,
            body,
            is_open=section.is_open,
            folds=level == 2 and bool(section.key),
        )

    def _body(self, blocks: Blocks) -> Markup:
        """What is below a heading; the page of a run within that of many has a card of its own."""
        if not any(isinstance(block, b.Headline) for block in blocks):
            return self._flow(blocks)
        own = [block for block in blocks if not isinstance(block, b.Section)]
        return joined(
            [self._card(own), self._flow([block for block in blocks if isinstance(block, b.Section)])]
        )

    def _flow(self, blocks: Blocks) -> Markup:
        """Blocks one after the other; those of one kind that belong together are one element."""
        return joined(
            parts.grouped(kind, joined(map(self._of, group))) for kind, group in groupby(blocks, key=type)
        )

    def _text(self, says: str, limit: int = _LOGGED) -> Markup:
        return self._state.linked(says, limit)

    @singledispatchmethod
    def _of(self, block: b.Block | b.Section) -> Markup:
        raise TypeError(f"no HTML for {type(block).__name__}")

    @_of.register
    def _(self, block: b.Gap) -> Markup:
        return Markup()

    @_of.register
    def _(self, block: b.Section) -> Markup:
        return self._section(block, self._level)

    @_of.register
    def _(self, block: b.Header) -> Markup:
        return parts.head(block, self._level)

    @_of.register
    def _(self, block: b.Headline) -> Markup:
        return parts.headline(block, self._text(block.title), self._level)

    @_of.register
    def _(self, block: b.Paragraph) -> Markup:
        return fill(
            '<p class="says {tone}">{says}</p>', tone=block.tone.value, says=self._text(block.says, 4000)
        )

    @_of.register
    def _(self, block: b.Entry) -> Markup:
        return parts.entry(block, self._text(block.says))

    @_of.register
    def _(self, block: b.Term) -> Markup:
        return fill("<dt>{label}</dt><dd>{says}</dd>", label=block.label, says=prose(block.says, _LOGGED))

    @_of.register
    def _(self, block: b.Diff) -> Markup:
        return parts.listing(parts.changed(block.lines), copies=self._live)

    @_of.register
    def _(self, block: b.Code) -> Markup:
        label = fill('<p class="label">{label}</p>', label=block.label) if block.label else Markup()
        return joined([label, parts.listing(code(block.text), copies=self._live)])

    @_of.register
    def _(self, block: b.Bullets) -> Markup:
        items = joined(fill("<li>{item}</li>", item=self._text(item)) for item in block.items)
        return fill("<ul>{items}</ul>", items=items)

    @_of.register
    def _(self, block: b.Command) -> Markup:
        return parts.command(block, copies=self._live)

    @_of.register
    def _(self, block: b.Chart) -> Markup:
        figures = figures_of(block, self._detail.chart)
        return charts(figures, block.run.name, self._detail, self._state.to_row, live=self._live)

    @_of.register
    def _(self, block: b.Overlay) -> Markup:
        if not block.curves:
            return Markup()
        figure = figure_of(block, self._detail.chart)
        return charts([figure], "all runs", self._detail, self._state.to_row, live=self._live)

    @_of.register
    def _(self, block: b.Plot) -> Markup:
        # Drawn as a picture beside it; without matplotlib, the table of its points tells the same.
        return Markup()

    @_of.register
    def _(self, block: b.Picture) -> Markup:
        return fill(
            '<img alt="{shows}" src="data:image/png;base64,{content}">',
            shows=block.shows,
            content=encoded(block.content),
        )

    @_of.register
    def _(self, block: b.Table) -> Markup:
        keys = block.keys or ("",) * len(block.rows)
        rows = [
            parts.row(
                self._state.row(key),
                [
                    self._cell(cell, column, is_finding=bool(key) and cell is row[-1])
                    for cell, column in zip(row, block.columns, strict=True)
                ],
            )
            for key, row in zip(keys, block.rows, strict=True)
        ]
        self._state.add(row[-1].says for key, row in zip(keys, block.rows, strict=True) if key)
        return parts.table(block.columns, rows)

    def _cell(self, cell: b.Cell, column: b.Column, *, is_finding: bool) -> Markup:
        """A field; a finding is told by the first table that has it."""
        says = Markup("stated above") if is_finding and self._state.has(cell.says) else self._text(cell.says)
        curve = tiny(cell.curve, self._detail.tiny) if cell.curve else Markup()
        return parts.cell(cell, column, self._state.to_section(cell.leads_to, says), curve)


def _charts(blocks: Iterable[b.Block | b.Section]) -> int:
    """How many runs are drawn."""
    return sum(
        _charts(block.blocks) if isinstance(block, b.Section) else isinstance(block, b.Chart)
        for block in blocks
    )
