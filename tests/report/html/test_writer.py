"""Blocks as HTML: each kind, the card for notebooks, and what is behind folds."""

import re
from html import unescape

from tests.report.formats import canonical
from traindx.report.blocks import (
    Bullets,
    Cell,
    Code,
    Command,
    Diff,
    Entry,
    Gap,
    Header,
    Headline,
    Page,
    Paragraph,
    Reference,
    Section,
    Term,
    Tone,
    table,
)
from traindx.report.html.writer import card, write
from traindx.report.pages import page_of
from traindx.trials.types import Report

ODD = "</code><script>alert(1)</script>"


def main(page: str) -> str:
    return page.partition("<main>")[2].partition("</main>")[0]


def page(*screen: object, sections: tuple[Section, ...] = (), causes: tuple[Reference, ...] = ()) -> str:
    return main(write(Page("title", screen, sections, references=causes)))  # type: ignore[arg-type]


def test_a_verdict_has_its_word_its_color_and_its_place() -> None:
    shown = page(Headline("SICK", "Too hot", "confidence 69%", Tone.BAD, "train.py:15"))
    assert re.search(r'<h1><span class="badge bad">.*?SICK</span> Too hot</h1>', shown)
    assert '<span class="sure">confidence 69%</span><span class="where">train.py:15</span>' in shown


def test_a_diff_keeps_its_indentation_and_its_signs_apart() -> None:
    shown = page(Diff(("-    lr=2.0,", "+    lr=0.2,", "  ... 3 more lines")))
    assert (
        '<del><i>-</i><span class="in">    </span>lr=2.0,</del>\n'
        '<ins><i>+</i><span class="in">    </span>lr=0.2,</ins>\n<span>  ... 3'
    ) in shown


def test_nothing_in_a_block_is_markup() -> None:
    shown = page(
        Header(ODD, (ODD,)),
        Paragraph(ODD),
        Entry(ODD, ODD, ODD),
        Term(ODD, ODD),
        Diff((f"+{ODD}", f"-{ODD}", ODD)),
        Code(ODD, label=ODD),
        Bullets((ODD,)),
        Command(ODD, ODD, ODD),
        table("a", [(ODD,)], keys=[ODD]),
        sections=(Section(ODD, (Paragraph(ODD),)),),
        causes=(Reference("odd", ODD, (Section(ODD, (Paragraph(ODD),)),)),),
    )
    assert "<script" not in shown
    assert "alert(1)" in unescape(shown)


def test_sections_are_open_or_folded_below_real_headings() -> None:
    inner = Section("inner", (Paragraph("deep"),))
    shown = page(
        Headline("SICK", "x"),
        sections=(Section("first", (inner,), is_open=True), Section("second", (inner,))),
    )
    assert '<section id="first"><h2>first</h2><details><summary><h3>inner</h3>' in shown
    assert '<details><summary><h2>second</h2></summary><div id="second">' in shown
    assert re.findall(r'<li><a href="#(\w+)">', shown) == ["first", "second"]


def test_names_of_references_are_linked_wherever_they_are_said() -> None:
    causes = (Reference("lr-too-high", "Learning rate too high", ()), Reference("lr", "lr", ()))
    shown = page(
        Headline("SICK", "Learning rate too high"),
        Paragraph("It is lr-too-high, not lr-too-higher; call `lr`."),
        Bullets(("learning rate too high 12%",)),
        causes=causes,
    )
    assert shown.count('<a href="#cause-lr-too-high">') == 3
    assert '<code><a href="#cause-lr">lr</a></code>' in shown
    assert "lr-too-higher;" in shown


def test_a_cell_leads_to_the_section_of_its_key() -> None:
    cells = table(",", [(Cell("a", leads_to="runs/a"), "b")])
    shown = page(Header("runs"), cells, sections=(Section("a: sick", (), name="a", key="runs/a"),))
    assert '<td class="plain"><a href="#a">a</a></td>' in shown


def test_a_gap_is_no_element() -> None:
    assert page(Headline("SICK", "x"), Gap(), Gap()) == page(Headline("SICK", "x"))


def test_a_card_is_a_fragment_without_script_names_and_links() -> None:
    report = Report(canonical.demo_runs()[:1], diagnoses=(canonical.sick(),))
    shown = card(page_of(report))
    assert shown.startswith('<div class="traindx card"><style>')
    assert shown.endswith("</div>")
    body = shown.partition("</style>")[2]
    for absent in ("<script", '<button type="button" class="copy"', " id=", "href=", "<html", "<style"):
        assert absent not in body
    assert "Learning rate too high" in body
    assert '<div class="still">' in body
    assert "<details><summary><h2>Rivals</h2>" in body
    # Every rule is about the card: a notebook keeps its own looks.
    style = shown.partition("<style>")[2].partition("</style>")[0]
    rules = re.sub(r"/\*.*?\*/", "", style, flags=re.S)
    depth, selectors, start = 0, [], 0
    for index, letter in enumerate(rules):
        if letter == "{":
            if depth == 0:
                selectors.append(rules[start:index].strip())
            depth += 1
        elif letter == "}":
            depth -= 1
            start = index + 1
    assert selectors
    assert all(".traindx" in selector for selector in selectors)


def test_a_card_is_small_enough_for_a_cell() -> None:
    report = Report(canonical.demo_runs()[:1], diagnoses=(canonical.sick(),))
    assert len(card(page_of(report))) < 120_000
