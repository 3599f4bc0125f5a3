"""What only a recording shows: what happened, where time went, what cannot learn, the code, the layers."""

from collections.abc import Sequence

import numpy as np

from traindx.curves.facts import is_recording
from traindx.curves.timing import times
from traindx.format import count, duration, step
from traindx.quantities import GRADIENT_NORM
from traindx.report.html.markup import Markup, escape, fill, heads, joined, share
from traindx.report.html.svg import profile
from traindx.report.results.layers import FIGURES, Anatomy, Row, anatomy, figure, label, shape, telling
from traindx.report.results.run import idle, incidents, places, unusual
from traindx.run import Run

_SHOWN = 12
_DEEP = 4
"""Fewer layers than this need no drawing."""


def happened(run: Run) -> Markup:
    """What happened while the run was recorded; nothing where nothing did."""
    items = joined(
        fill("<li>{says}</li>", says=escape(f"{says[:1].upper()}{says[1:]}", 600)) for says in incidents(run)
    )
    return fill('<ul class="happened">{items}</ul>', items=items) if items else Markup()


def interior(run: Run, brief: bool) -> Markup:
    """The inside of a recorded training; nothing for a log."""
    if not is_recording(run):
        return Markup()
    found = anatomy(run)
    parts = [_times(run), _sentences(run), _flow(found), _layers(found, brief)]
    return fill("<h3>Inside the training</h3>{parts}", parts=joined(parts, "\n")) if any(parts) else Markup()


def _times(run: Run) -> Markup:
    found = times(run)
    if not found:
        return Markup()
    whole = duration(sum(one.seconds for one in found))
    rows = joined(
        fill(
            '<tr><th scope="row">{called}</th><td class="bar"><i style="width:{width}"></i></td>'
            '<td class="number">{percent}</td><td class="number">{seconds}</td></tr>',
            called=one.called,
            width=share(one.share),
            percent=f"{100 * one.share:.0f} %",
            seconds=duration(one.seconds),
        )
        for one in found
    )
    return fill(
        '<table class="belief times"><caption>A step takes {whole}, by medians</caption>{rows}</table>',
        whole=whole,
        rows=rows,
    )


def _sentences(run: Run) -> Markup:
    told = idle(run, len(run.model) if len(run.model) <= _SHOWN else _SHOWN)
    code = places(run)
    items = [*told, *unusual(run), *([f"Where the code is: {', '.join(code)}"] if code else [])]
    return fill(
        "<ul>{items}</ul>", items=joined(fill("<li>{one}</li>", one=escape(one, 900)) for one in items)
    )


def _flow(found: Anatomy) -> Markup:
    """How large the gradient is from the first layer to the last."""
    # Biases have gradients of another size: between weights they would draw a saw.
    shown = [
        row for row in found.rows if row.layer and len(row.layer.shape) > 1 and GRADIENT_NORM in row.figures
    ]
    if len(shown) < _DEEP:
        return Markup()
    norms = np.array([row.figures[GRADIENT_NORM] for row in shown])
    when = "" if found.step is None else f" at step {step(found.step)}"
    return profile(
        norms, f"Gradient flow: norm of the gradient by layer{when}", (label(shown[0]), label(shown[-1]))
    )


def _layers(found: Anatomy, brief: bool) -> Markup:
    if not found.rows:
        return Markup()
    told = f"{found.told[:1].upper()}{found.told[1:]}"
    if len(found.rows) <= _SHOWN:
        return _table(found.rows, found, f"{told}.")
    first = telling(found.rows, _SHOWN)
    rest = fill(
        "<details><summary>All {count}</summary>{table}</details>",
        count=count(len(found.rows), "layer"),
        table=_table(found.rows, found, ""),
    )
    most = _table(first, found, f"{told}; the {len(first)} that differ most.")
    return joined([most, Markup() if brief else rest])


def _table(rows: Sequence[Row], found: Anatomy, caption: str) -> Markup:
    words = ["layer", "kind", "shape", *(FIGURES[quantity] for quantity in found.columns)]
    return fill(
        "{caption}"
        '<div class="scroll" tabindex="0" role="region" aria-label="Layers"><table class="layers">'
        "<thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>",
        caption=fill('<p class="quiet">{caption}</p>', caption=caption) if caption else Markup(),
        heads=heads(words, 3),
        rows=joined(_row(row, found) for row in rows),
    )


def _row(row: Row, found: Anatomy) -> Markup:
    return fill(
        '<tr><th scope="row">{name}</th><td>{kind}</td><td>{shape}</td>{cells}</tr>',
        name=escape(label(row), 100),
        kind=escape(row.layer.kind if row.layer else "", 60),
        shape=shape(row).replace("x", "\u00d7"),
        cells=joined(
            fill('<td class="number">{cell}</td>', cell=figure(row, quantity)) for quantity in found.columns
        ),
    )
