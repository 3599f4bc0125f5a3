"""The page as one file: what it may do, how it looks, and the plotly it carries."""

import gzip
import hashlib
from functools import cache
from pathlib import Path

from traindx import __version__
from traindx.report.html.markup import Markup, encoded, fill, joined, packed

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
    hashes = " ".join(
        f"'sha256-{_digest(source)}'" for source in (_asset("page.js").encode(), _plotly_source())
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:;"
        " base-uri 'none'; form-action 'none'"
    )


def _digest(source: bytes) -> str:
    return encoded(hashlib.sha256(source).digest())


@cache
def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


def _plotly_source() -> bytes:
    return gzip.decompress((_ASSETS / _PLOTLY).read_bytes())


def _plotly() -> Markup:
    """Plotly as it lies on disk; the browser inflates it when the first drawing is wanted."""
    packed = encoded((_ASSETS / _PLOTLY).read_bytes())
    return fill('<script type="text/plain" id="plotly">{packed}</script>', packed=packed)
