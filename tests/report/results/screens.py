"""Pages as they look on a terminal of 80 columns."""

import unicodedata

from traindx.report import markdown, text, text_lines
from traindx.report.blocks import Page
from traindx.report.html import writer as html

WIDTH, MOST_LINES, MOST_MARKDOWN = 80, 24, 60


def screen(page: Page) -> str:
    """The screen of a page, which fits; the other formats of the page can be written."""
    shown = text.write(page, width=WIDTH)
    assert len(shown.splitlines()) <= MOST_LINES, shown
    everything = text.write(page, width=WIDTH, everything=True)
    for line in (shown + everything).splitlines():
        assert text_lines.cells(line) <= WIDTH, line
        assert all(unicodedata.category(row) not in {"Cc", "Cf", "Cs", "Zl", "Zp"} for row in line)
    assert len(markdown.write(page).splitlines()) <= MOST_MARKDOWN
    shown_in_browser = html.write(page)
    # The page has its own <b>; names from outside hold "|<b>" or "<b>x", which must be text there.
    assert "|<b>" not in shown_in_browser
    assert "<b>x" not in shown_in_browser
    assert ("<b>" in shown + everything) == ("&lt;b&gt;" in shown_in_browser)
    return shown
