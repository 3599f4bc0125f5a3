"""Blocks as text: what is behind the screen is as readable as the screen."""

from traindx.report import text
from traindx.report.blocks import Code, Entry, Gap, Headline, Page, Section, Table, Term, table


def section(*blocks: Entry | Term | Table | Code) -> list[str]:
    """The lines below the heading of a section."""
    page = Page("title", (Headline("SICK", "Too hot"),), (Section("Part", blocks),))
    return text.write(page, everything=True).partition("PART\n")[2].splitlines()


def test_entries_are_indented_for_labels_only_if_there_are_labels() -> None:
    assert section(Entry("", "first"), Term("expect", "more")) == ["    first", "    expect   more"]
    assert section(Entry("TIME", "first"), Entry("", "second")) == ["  TIME     first", "           second"]


def test_a_long_cell_goes_below_its_row_if_it_would_be_a_narrow_column() -> None:
    slug, says = "s" * 60, "a sentence that is much longer than the columns which are left beside its name"
    shown = section(table("check, finding", [(slug, says), ("short", "")]))
    assert shown[0].split() == ["check"]
    assert shown[1].strip() == slug
    assert " ".join(" ".join(shown[2:-1]).split()) == says
    assert all(len(line) <= 80 for line in shown)
    assert shown[-1].strip() == "short"


def test_a_cell_that_needs_few_lines_stays_in_its_row() -> None:
    shown = section(
        table("check, finding", [("s" * 40, "fifty letters are wrapped into two lines, not more")])
    )
    assert shown[0].split() == ["check", "finding"]
    assert len(shown) == 3


def test_code_fits_and_can_be_copied() -> None:
    code = "loss = torch.nn.functional.binary_cross_entropy_with_logits(output.squeeze(-1), y.float())"
    shown = section(Code(code))
    assert len(shown) == 2
    assert all(len(line) <= 80 for line in shown)
    assert "".join(line.strip() for line in shown) == code


def test_what_a_screen_spares_leaves_no_two_blank_lines() -> None:
    page = Page(
        "title", (Headline("SICK", "Too hot"), Gap(), Entry("", "spared"), Gap(), Entry("OR", "x")), (), 4
    )
    assert "\n\n\n" not in text.write(page)


def test_an_empty_page_is_no_text() -> None:
    assert text.write(Page("nothing", ())) == ""
