"""The elements that blocks become, and the file around them: what it may do, how it looks, its plotly."""

import gzip
import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from traindx import __version__
from traindx.report import blocks as b
from traindx.report.html.markup import Markup, encoded, escape, fill, joined, packed

_ICONS = {
    b.Tone.GOOD: Markup('<path d="M3.5 8.5l3 3 6-7"/>'),
    b.Tone.BAD: Markup('<path d="M8 2.5l6 11H2zM8 6.5v3.2M8 11.6v.4"/>'),
    b.Tone.DOUBT: Markup('<path d="M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.7 8 9.2 8 10M8 12.3v.4"/>'),
}
"""A shape for each color."""
_COPY = Markup('<button type="button" class="copy" hidden>Copy</button>')


def heading(level: int, title: Markup) -> Markup:
    """A heading; below the fifth level all are alike."""
    tag = Markup(f"h{min(level, 6)}")
    return fill("<{tag}>{title}</{tag}>", tag=tag, title=title)


def about(block: b.Header) -> Markup:
    """What a page is about, in one line."""
    notes = joined(fill(" · {note}", note=escape(note, 200)) for note in block.notes)
    return fill("<b>{subject}</b>{notes}", subject=escape(block.subject, 200), notes=notes)


def head(block: b.Header, level: int) -> Markup:
    """What a page or a part of it is about, as a heading."""
    notes = fill('<p class="quiet">{notes}</p>', notes=" · ".join(block.notes)) if block.notes else Markup()
    return joined([heading(level, escape(block.subject, 200)), notes])


def headline(block: b.Headline, title: Markup, level: int) -> Markup:
    """The verdict as a word with a shape and a color, the title, how sure it is and where."""
    notes = [("sure", block.note), ("where", block.at)]
    return fill(
        '<header class="headline">{heading}{notes}</header>',
        heading=heading(level, fill("{badge} {title}", badge=_badge(block.word, block.tone), title=title)),
        notes=joined(
            fill('<span class="{kind}">{says}</span>', kind=kind, says=escape(says, 120))
            for kind, says in notes
            if says
        ),
    )


def _badge(word: str, tone: b.Tone) -> Markup:
    icon = fill('<svg viewBox="0 0 16 16" aria-hidden="true">{icon}</svg>', icon=_ICONS.get(tone, Markup()))
    return fill('<span class="badge {tone}">{icon}{word}</span>', tone=tone.value, icon=icon, word=word)


def card(lead: Markup, told: Sequence[Markup], pictures: Markup) -> Markup:
    """The verdict, below it what to do beside the picture; the picture alone takes the whole width."""
    groups = joined(fill('<div class="group">{group}</div>', group=group) for group in told if group)
    told_part = fill('<div class="told">{groups}</div>', groups=groups) if groups else Markup()
    picture = fill('<div class="picture">{pictures}</div>', pictures=pictures) if pictures else Markup()
    return fill(
        '<div class="screen">{lead}<div class="columns">{told}{picture}</div></div>',
        lead=fill('<div class="lead">{lead}</div>', lead=lead),
        told=told_part,
        picture=picture,
    )


def contents(entries: Sequence[tuple[str, str]]) -> Markup:
    """A small table of contents."""
    links = joined(
        fill('<li><a href="#{target}">{name}</a></li>', target=target, name=escape(name, 60))
        for target, name in entries
    )
    return fill('<nav aria-label="Contents"><ul>{links}</ul></nav>', links=links)


def section(anchor: str, title: Markup, body: Markup, *, is_open: bool, folds: bool) -> Markup:
    """A part of the page, unfolded or behind its heading; what folds can be folded again."""
    identity = fill(' id="{anchor}"', anchor=anchor) if anchor else Markup()
    if is_open and not folds:
        return fill("<section{id}>{title}{body}</section>", id=identity, title=title, body=body)
    # The name is inside: a browser that is sent there unfolds it.
    return fill(
        "<details{open}><summary>{title}</summary><div{id}>{body}</div></details>",
        open=Markup(" open") if is_open else Markup(),
        title=title,
        id=identity,
        body=body,
    )


def grouped(kind: type[b.Block | b.Section], parts: Markup) -> Markup:
    """Blocks of one kind in the element that holds them together."""
    if kind is b.Term:
        return fill("<dl>{parts}</dl>", parts=parts)
    if kind is b.Entry:
        return fill('<div class="entries">{parts}</div>', parts=parts)
    return fill('<div class="commands">{parts}</div>', parts=parts) if kind is b.Command else parts


def entry(block: b.Entry, says: Markup) -> Markup:
    """A labeled line, with where it is at its end."""
    return fill(
        '<div class="entry {tone}"><b class="label">{label}</b><span class="says">{says}{at}</span></div>',
        tone=block.tone.value,
        label=block.label,
        says=says,
        at=fill(' <span class="at">{at}</span>', at=escape(block.at, 120)) if block.at else Markup(),
    )


def command(block: b.Command, *, copies: bool) -> Markup:
    """What to type, with a button that copies it."""
    return fill(
        '<p class="command" data-copy><b class="label">{label}</b><code>{line}</code>{copy}{note}</p>',
        label=block.label,
        line=escape(block.line, 500),
        copy=_COPY if copies and not block.is_path else Markup(),
        note=fill('<span class="quiet">{note}</span>', note=block.note) if block.note else Markup(),
    )


def listing(lines: Markup, *, copies: bool) -> Markup:
    """Lines of a program, with a button that copies them."""
    return fill(
        '<div class="listing" data-copy><pre tabindex="0"><code>{lines}</code></pre>{copy}</div>',
        lines=lines,
        copy=_COPY if copies else Markup(),
    )


_LEFT_OUT = "  ..."
"""How a line begins that stands for others."""


def changed(lines: Sequence[str]) -> Markup:
    """The lines of a diff; what is copied of one is the line without its sign.

    The indentation that all share is there to be copied, and takes no room on the screen.
    """
    texts = [line[1:].expandtabs(4) for line in lines if not line.startswith(_LEFT_OUT)]
    shared = min((len(text) - len(text.lstrip()) for text in texts if text.strip()), default=0)
    return joined((_changed(line, shared) for line in lines), "\n")


def _changed(line: str, shared: int) -> Markup:
    tag = {"+": Markup("ins"), "-": Markup("del")}.get(line[:1])
    if tag is None:
        shown = line if line.startswith(_LEFT_OUT) else line[1:].expandtabs(4)[shared:]
        return fill("<span>{line}</span>", line=shown)
    text = line[1:].expandtabs(4)
    return fill(
        '<{tag}><i>{sign}</i><span class="in">{shared}</span>{rest}</{tag}>',
        tag=tag,
        sign=line[:1],
        shared=text[:shared],
        rest=text[shared:],
    )


def table(columns: Sequence[b.Column], rows: Sequence[Markup]) -> Markup:
    """A table that scrolls by itself where it is too wide."""
    heads = joined(
        fill(
            '<th scope="col"{kind}>{title}</th>',
            kind=Markup(' class="number"') if column.right else Markup(),
            title=column.title,
        )
        for column in columns
    )
    titled = any(column.title for column in columns)
    return fill(
        '<div class="scroll" tabindex="0" role="region" aria-label="Table"><table>{head}'
        "<tbody>{rows}</tbody></table></div>",
        head=fill("<thead><tr>{heads}</tr></thead>", heads=heads) if titled else Markup(),
        rows=joined(rows),
    )


def row(anchor: str, cells: Sequence[Markup]) -> Markup:
    """A row with its name."""
    identity = fill(' id="{anchor}"', anchor=anchor) if anchor else Markup()
    return fill("<tr{id}>{cells}</tr>", id=identity, cells=joined(cells))


def cell(block: b.Cell, column: b.Column, says: Markup, curve: Markup) -> Markup:
    """A field of a table."""
    classes = " ".join(filter(None, ("number" if column.right else "", block.tone.value)))
    return fill('<td class="{classes}">{says}{curve}</td>', classes=classes, says=says, curve=curve)


_ASSETS = Path(__file__).parent / "assets"
_PLOTLY = "plotly-basic-4.1.1.min.js.gz"
"""plotly-basic.min.js of npm's plotly.js-basic-dist-min after `gzip -9n`, with its license next to it."""


def document(*, title: str, about: Markup, main: Markup, summary: str) -> str:
    """The whole page; it needs nothing else, and its policy lets it ask for nothing else."""
    return fill(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">'
        "<title>{title} · traindx</title><style>{style}</style></head>\n"
        '<body class="traindx"><div class="top"><p class="about"><span class="brand">traindx</span>'
        "{about}</p>"
        '<p class="tools"><button type="button" id="markdown" hidden>Copy as Markdown</button>'
        '<button type="button" id="theme" hidden>Dark</button></p></div>\n<main>{main}</main>\n'
        '<footer><p>{made}</p></footer>\n<script type="text/plain" id="summary">{summary}</script>'
        "{carried}<script>{script}</script></body></html>\n",
        policy=_policy(),
        title=title,
        style=styles("blocks.css", "page.css"),
        about=about,
        main=main,
        made=f"Made by traindx {__version__}. This page is complete in itself and loads nothing.",
        summary=packed(summary.encode()),
        carried=_plotly() if '<figure class="chart"' in main else Markup(),
        script=Markup(_asset("page.js")),
    )


def styles(*names: str) -> Markup:
    """How it looks: the style sheets of the given names."""
    return joined((Markup(_asset(name)) for name in names), "\n")


def _policy() -> str:
    """Nothing may be fetched; of scripts, only the two this page carries may run, known by their hashes."""
    scripts = _asset("page.js").encode(), gzip.decompress((_ASSETS / _PLOTLY).read_bytes())
    hashes = " ".join(f"'sha256-{encoded(hashlib.sha256(script).digest())}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:;"
        " base-uri 'none'; form-action 'none'"
    )


@cache
def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _plotly() -> Markup:
    """Plotly as it lies on disk; the browser inflates it when the first drawing is wanted."""
    packed = encoded((_ASSETS / _PLOTLY).read_bytes())
    return fill('<script type="text/plain" id="plotly">{packed}</script>', packed=packed)
