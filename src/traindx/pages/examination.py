"""An exam as a page that opens offline, with its picture inside."""

from functools import cache
from pathlib import Path

from traindx import __version__
from traindx.examination import Check, Examination, Fault
from traindx.finding import Severity
from traindx.pages.markup import Markup, code, encoded, fill, joined

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
_ROWS = 50


def examination_page(examination: Examination, picture: bytes | None) -> str:
    """The whole page; it needs nothing else, and runs no script."""
    return fill(
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">'
        "<title>{title}</title><style>{style}</style></head>\n"
        '<body><header class="top"><h1>traindx<span> exam of data</span></h1></header>\n'
        '<main><section class="run"><h2>{subject}</h2><p><strong>{verdict}</strong> {about}</p>{picture}'
        "{checks}{faults}{notes}</section></main>\n<footer><p>{made}</p></footer></body></html>\n",
        policy=_POLICY,
        title=f"{examination.subject}: {examination.verdict.value} \u00b7 traindx",
        style=Markup(_style()),
        subject=examination.subject,
        verdict=examination.verdict.value.upper(),
        about=examination.about,
        picture=_picture(picture),
        checks=_checks(examination),
        faults=joined(
            _fault(check, fault)
            for check in sorted(examination.checks, key=lambda one: -one.mark.rank)
            for fault in check.faults
        ),
        notes=_notes(examination),
        made=f"Made by traindx {__version__}. This page is complete in itself and loads nothing.",
    )


def _picture(picture: bytes | None) -> Markup:
    if picture is None:
        return Markup()
    return fill(
        '<p><img alt="the data in pictures" style="max-width:100%" src="data:image/png;base64,{data}"></p>',
        data=encoded(picture),
    )


def _checks(examination: Examination) -> Markup:
    rows = [
        fill(
            "<tr><td>{mark}</td><td>{name}</td><td>{says}</td></tr>",
            mark=check.mark.value,
            name=check.name,
            says=_told(check),
        )
        for check in examination.checks
    ]
    return fill(
        "<table><thead><tr><th>mark</th><th>check</th><th>answer</th></tr></thead><tbody>{rows}</tbody></table>",
        rows=joined(rows),
    )


def _told(check: Check) -> str:
    worst = max(check.faults, key=lambda fault: fault.severity.rank, default=None)
    return check.says if worst is None else worst.says


def _fault(check: Check, fault: Fault) -> Markup:
    word = "remark" if fault.severity is Severity.INFO else fault.severity.value
    shown = [
        fill("<li>{where}: {reason}</li>", where=row.item or str(row.index), reason=row.reason)
        for row in fault.rows[:_ROWS]
    ]
    more = len(fault.rows) - _ROWS
    shown += [fill("<li>and {more} more</li>", more=f"{more:,}")] if more > 0 else []
    return fill(
        "<h3>{name}: {word}</h3><p>{says}.</p><p>{todo}.</p>{code}{rows}{cause}",
        name=check.name,
        word=word,
        says=fault.says,
        todo=fault.todo,
        code=fill("<pre><code>{code}</code></pre>", code=code(fault.code)) if fault.code else Markup(),
        rows=fill(
            "<details><summary>{count} rows</summary><ul>{rows}</ul></details>",
            count=f"{len(fault.rows):,}",
            rows=joined(shown),
        )
        if shown
        else Markup(),
        cause=fill("<p>It leads to <code>{cause}</code>.</p>", cause=fault.cause)
        if fault.cause
        else Markup(),
    )


def _notes(examination: Examination) -> Markup:
    items = [fill("<li>{note}</li>", note=note) for note in examination.notes]
    return fill("<h3>Notes</h3><ul>{items}</ul>", items=joined(items)) if items else Markup()


@cache
def _style() -> str:
    return (Path(__file__).parent / "assets" / "page.css").read_text(encoding="utf-8")
