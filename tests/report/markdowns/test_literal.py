import html

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from traindx.format import printable
from traindx.report.markdowns.run import ended, escape, prose

PAGE = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


@given(st.text(st.characters(codec="utf-8"), min_size=1, max_size=80))
@example("1. one")
@example("- - -")
@example("a_b _c_ __d__ e_")
@example("&lt;b&gt; <b> [x](y) ![x](y) `c` ~~d~~ **e** \\* | # +")
@example("=== x")
@example("    code")
def test_a_sentence_shows_as_it_is(text: str) -> None:
    for literal in (prose(text), escape(text)):
        page = PAGE.render(f"- {literal.strip()} end").strip()
        assert page.startswith("<ul>\n<li>")
        shown = html.unescape(page.removeprefix("<ul>\n<li>").removesuffix("</li>\n</ul>"))
        assert shown.split() == [*printable(text, 1000).split(), "end"]


@given(st.text(st.characters(codec="utf-8"), max_size=40))
def test_a_sentence_stays_in_its_cell(text: str) -> None:
    page = PAGE.render(f"| a | b |\n|---|---|\n| {prose(text)} | {escape(text)} |")
    assert page.count("<td>") == 2


def test_a_sentence_stays_readable() -> None:
    says = "val_loss is best (0.8875) at step 87 and ends at 1.688 - 90% higher"
    assert prose(says) == says


@pytest.mark.parametrize(("text", "shown"), [("it falls", "it falls."), ("it falls.", "it falls.")])
def test_a_sentence_has_one_full_stop(text: str, shown: str) -> None:
    assert ended(text) == shown
