"""The knowledge base: searched, as data, and on the terminal."""

import argparse
import io
import json
import re
from collections.abc import Iterable

from rich.console import Console, Group, RenderableType
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text
from rich.theme import Theme

from traindx.cause import Cause, Kind
from traindx.cli._output import Maker, colored, places_of, publish, refuse_places, terminal_width
from traindx.cli._pages import Page, summary
from traindx.diagnosis import knowledge
from traindx.finding import Sign
from traindx.report.json.report import fix_document
from traindx.report.json.values import Document, Json, head, told
from traindx.report.text_lines import fitted

# The colors of the terminal itself: a theme with a background of its own is unreadable on half of them.
_THEME = Theme({"markdown.code": "cyan", "markdown.block_quote": "dim", "markdown.table.header": "dim"})

_KINDS = {Kind.WHY: "root cause", Kind.HOW: "mechanism"}

_CODE = re.compile(r"(?s)(```python\n)(.*?)(\n```)")
_CODE_WIDTH = 76


def as_json(causes: Iterable[Cause] = (), signs: Iterable[Sign] = ()) -> str:
    """Causes and checks as indented JSON."""
    document: Document = {
        **head("knowledge"),
        "causes": [_cause(cause) for cause in causes],
        "signs": [_sign(sign) for sign in signs],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def matching(words: str) -> tuple[Cause, ...]:
    """The causes whose name or symptoms contain some words; if none do, those described by them.

    If there are none either, those whose page has the words, or an identifier such as kl_div, anywhere.
    """
    if not words.strip() or words in {sign.slug for sign in knowledge.signs()}:
        return ()
    sought = re.compile(rf"\b{re.escape(_plain(words).removesuffix('s'))}s?\b")
    known = knowledge.causes()
    for texts in (_names, _symptoms), (_descriptions,), (_pages,):
        causeses = [[cause for cause in known if sought.search(_plain("; ".join(of(cause))))] for of in texts]
        if any(causeses):
            return tuple(dict.fromkeys(cause for causes in causeses for cause in causes))
    return ()


def _names(cause: Cause) -> tuple[str, ...]:
    return (cause.slug, cause.title)


def _symptoms(cause: Cause) -> tuple[str, ...]:
    return tuple(symptom.value for symptom in cause.symptoms)


def _descriptions(cause: Cause) -> tuple[str, ...]:
    blamed = [
        text for misdiagnosis in cause.misdiagnoses for text in (misdiagnosis.says, misdiagnosis.blames)
    ]
    return (cause.sections["What you see"], *(fix.title for fix in cause.fixes), *blamed)


def _pages(cause: Cause) -> tuple[str, ...]:
    examples = [text for fix in cause.fixes for text in (fix.before, fix.code)]
    return (cause.definition, *cause.sections.values(), *examples)


def _plain(text: str) -> str:
    """Text in which words are found however they are spelled: lowercase, without dashes, lr in full."""
    spaced = re.sub(r"[\s_=-]+", " ", text.lower()).strip()
    return re.sub(r"\blr\b", "learning rate", spaced)


def as_text(page: Page, *, full: bool = False) -> str:
    """A page as wide as the terminal, colored only on a terminal; `full`: with what is folded."""
    parts: list[RenderableType] = [Text(page.title, style="bold"), "", _markdown(page.opening)]
    for heading, text in (*page.sections, *([page.folded] if full else [])):
        parts += ["", Text(heading, style="bold underline"), "", _markdown(text)]
    return _rendered(Group(*parts))


def list_as_text(causes: Iterable[Cause], heading: str = "") -> str:
    """Causes on a line each."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("cause", "kind", "title"):
        table.add_column(column, no_wrap=column != "title")
    for cause in causes:
        table.add_row(Text(cause.slug, style="cyan"), _KINDS[cause.kind], Text(cause.title))
    closing = Text("traindx explain CAUSE shows one of them", style="dim")
    return _rendered(Group(*([heading, ""] if heading else []), table, "", closing))


def table_as_text(table: str) -> str:
    """A Markdown table as wide as the terminal."""
    heading, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    shown = Table(box=None, pad_edge=False, header_style="dim")
    for name in heading:
        shown.add_column(name, overflow="fold")
    for row in rows:
        shown.add_row(*(Text(cell.replace("`", "")) for cell in row))
    return _rendered(shown)


def tell(arguments: argparse.Namespace, name: str, text: str, markdown: str, data: str) -> int:
    """Write the documents that were asked for, and show the text unless one of them takes its place."""
    places = places_of(arguments, {"md": f"{name}.md", "json": f"{name}.json"})
    refuse_places(places, (), before_work=False)
    makers: dict[str, Maker] = {"md": lambda: markdown, "json": lambda: data}
    return publish(arguments.command, places, makers, text, labels={})


def _rendered(what: RenderableType) -> str:
    stream, color = io.StringIO(), colored()
    console = Console(
        file=stream,
        width=max(terminal_width(), 60),
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        theme=_THEME,
    )
    console.print(what)
    return _single_spaced(stream.getvalue())


def _single_spaced(text: str) -> str:
    """Text without blanks at the ends of lines and without more than one empty line in a row."""
    lines: list[str] = []
    for line in text.splitlines():
        empty = not re.sub(r"\x1b\[[\d;]*m", "", line).strip()
        if not (empty and lines and not lines[-1]):
            lines.append("" if empty else line.rstrip())
    return "\n".join(lines).strip("\n") + "\n"


def _markdown(text: str) -> Markdown:
    # The terminal would wrap long code in the middle of a word.
    whole = _CODE.sub(lambda match: f"{match[1]}{fitted(match[2], _CODE_WIDTH)}{match[3]}", text)
    return Markdown(whole, code_theme="ansi_dark", hyperlinks=False)


def _cause(cause: Cause) -> Json:
    return {
        **told(cause, "cause=slug title kind"),
        "summary": summary(cause),
        **told(cause, "acts_through symptoms misdiagnoses"),
        "prior": cause.prior,
        "clues": [
            {"sign": clue.sign.slug, "asks": clue.sign.asks, "seen": clue.seen, "unseen": clue.unseen}
            for clue in cause.clues
        ],
        "fixes": [fix_document(fix) for fix in cause.fixes],
        "what_not_to_do": list(cause.what_not_to_do),
        "rivals": [told(rival, "cause=slug told_apart_by") for rival in cause.rivals],
        "experiment": told(cause.experiment, "does if_true if_false"),
        "page": dict(cause.sections),
    }


def _sign(sign: Sign) -> Json:
    needs = [need if isinstance(need, tuple) else (need,) for need in sign.needs]
    return {
        **told(sign, "sign=slug asks severity"),
        "needs": [[quantity.slug for quantity in any_of] for any_of in needs],
        "limits": [
            {"name": limit.name, "value": limit.value, "source": limit.source} for limit in sign.limits
        ],
    }
