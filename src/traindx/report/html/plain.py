"""The frame of a page that opens offline and runs no script: what exams and checklists are shown in."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from traindx import __version__
from traindx.report.html.markup import Markup, encoded, fill, joined

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def plain_page(*, kind: str, subject: str, verdict: str, about: str, body: Iterable[Markup]) -> str:
    """The whole page; it needs nothing else."""
    return fill(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">'
        "<title>{title}</title><style>{style}</style></head>\n"
        '<body><header class="top"><h1>traindx<span> {kind}</span></h1></header>\n'
        '<main><section class="run"><h2>{subject}</h2><p><strong>{verdict}</strong> {about}</p>{body}'
        "</section></main>\n<footer><p>{made}</p></footer></body></html>\n",
        policy=_POLICY,
        title=f"{subject}: {verdict.lower()} \u00b7 traindx",
        style=Markup(_style()),
        kind=kind,
        subject=subject,
        verdict=verdict,
        about=about,
        body=joined(body),
        made=f"Made by traindx {__version__}. This page is complete in itself and loads nothing.",
    )


def picture(content: bytes | None, shows: str) -> Markup:
    """A picture inside of the page; nothing where there is none."""
    if content is None:
        return Markup()
    return fill(
        '<p><img alt="{shows}" style="max-width:100%" src="data:image/png;base64,{data}"></p>',
        shows=shows,
        data=encoded(content),
    )


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[bool] = ()) -> Markup:
    """A table; columns of numbers stand to the right."""
    aligned = [*numbers, *[False] * (len(headings) - len(numbers))]
    head = joined(_cell("th", text, right) for text, right in zip(headings, aligned, strict=True))
    body = joined(
        fill(
            "<tr>{cells}</tr>",
            cells=joined(_cell("td", text, right) for text, right in zip(row, aligned, strict=True)),
        )
        for row in rows
    )
    return fill(
        '<div style="overflow-x:auto"><table><thead><tr>{head}</tr></thead>'
        "<tbody>{body}</tbody></table></div>",
        head=head,
        body=body,
    )


def _cell(tag: str, text: str, right: bool) -> Markup:
    if tag == "th":
        return fill('<th style="text-align:{side}">{text}</th>', side="right" if right else "left", text=text)
    return fill('<td style="text-align:{side}">{text}</td>', side="right" if right else "left", text=text)


def listing(heading: str, items: Iterable[str]) -> Markup:
    """Items below a heading; nothing without items."""
    shown = [fill("<li>{item}</li>", item=item) for item in items]
    return (
        fill("<h3>{heading}</h3><ul>{items}</ul>", heading=heading, items=joined(shown))
        if shown
        else Markup()
    )


@cache
def _style() -> str:
    return (Path(__file__).parent / "assets" / "page.css").read_text(encoding="utf-8")
