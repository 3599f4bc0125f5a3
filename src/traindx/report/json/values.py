"""Values as JSON, and a run as it was read."""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from operator import attrgetter

from traindx import __version__
from traindx.curves.facts import pace, times
from traindx.facts import RESUMED_AT
from traindx.format import SCHEMA
from traindx.report.results.recording import FIGURES, Row, anatomy
from traindx.run import Run, Series

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
Document = dict[str, Json]

# Valid in JSON as they are, but a terminal obeys some of them and no file can hold half a character.
_UNSEEN = re.compile("[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")


def head(kind: str) -> Document:
    """What every document begins with; `docs/report.schema.json` lists the kinds."""
    return {"schema": SCHEMA, "kind": kind, "traindx": __version__}


def number(value: float) -> float | int | str:
    """A number; as text where it is not finite, as a whole number where it is whole."""
    value = float(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def plain(value: object) -> Json:
    """A value as JSON holds it: numbers, texts, values of enumerations, and lists and fields of these."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, Mapping):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return {field.name: plain(getattr(value, field.name)) for field in fields(value)}  # type: ignore[arg-type]  # a dataclass


def told(value: object, names: str) -> Document:
    """Some attributes of a value, each under its own name.

    `place=location` gives one another name; with a question mark it is null where it says nothing: an
    empty text, or a number that is not finite.
    """
    return {key: _told(get(value), or_null) for key, get, or_null in _attributes(names)}


@cache
def _attributes(names: str) -> tuple[tuple[str, Callable[[object], object], bool], ...]:
    """Under which key stands which attribute, and whether it is null where it says nothing."""
    parted = [(name.rstrip("?").rpartition("="), name.endswith("?")) for name in names.split()]
    return tuple((key or path, attrgetter(path), or_null) for (key, _, path), or_null in parted)


def _told(value: object, or_null: bool) -> Json:
    return None if or_null and (value == "" or _is_not_finite(value)) else plain(value)


def _is_not_finite(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def finite(value: float | None) -> Json:
    """A number; nothing where it is not finite."""
    return None if _is_not_finite(value) else plain(value)


def as_text(document: Document) -> str:
    """A document as indented JSON that a terminal and a file can hold."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    return _UNSEEN.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def ascii_text(document: Document) -> str:
    """A document as indented JSON in letters of ASCII: a terminal would obey some of what names can hold."""
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def run_document(run: Run, values: bool) -> Document:
    """A run as it was read; with `values`, every point of every series."""
    return {
        **told(run, "name sources formats"),
        "segments": [
            {**told(segment, "begins axis first_step last_step"), "points": sum(map(len, segment.series))}
            for segment in run.segments
        ],
        "series": [_series(series, values) for series in run.series],
        "facts": {fact.slug: plain(value) for fact, value in run.facts.items()},
        "settings": plain(run.settings),
        "events": [told(event, "kind says step layer operation batch") for event in run.events],
        "unread": [told(skipped, "name count why") for skipped in run.unread],
        "notes": list(run.notes),
        **_log_document(run),
        **interior_document(run),
    }


def _log_document(run: Run) -> Document:
    """Which run of its log it is, and the others; empty where the log holds one."""
    if not run.others:
        return {}
    return {
        "run_in_file": run.number,
        "runs_in_file": [
            {
                "run": other.number,
                **(told(other.segments[0], "axis first_step") if other.segments else {}),
                **({"last_step": plain(other.segments[-1].last_step)} if other.segments else {}),
                "points": max(map(len, other.series), default=0),
                "resumed": RESUMED_AT in other.facts,
            }
            for other in run.in_log
        ],
    }


def _series(series: Series, values: bool) -> Json:
    known = series.finite
    lowest, highest = (int(known.values.argmin()), int(known.values.argmax())) if len(known) else (None, None)
    summary: Document = {
        **told(series, "quantity=quantity.slug part layer name axis better=quantity.better"),
        "points": len(series),
        "first_step": number(series.steps[0]),
        "last_step": number(series.steps[-1]),
        "first": number(series.values[0]),
        "last": number(series.values[-1]),
        "min": None if lowest is None else number(known.values[lowest]),
        "min_step": None if lowest is None else number(known.steps[lowest]),
        "max": None if highest is None else number(known.values[highest]),
        "max_step": None if highest is None else number(known.steps[highest]),
        "nonfinite": len(series) - len(known),
        "first_nonfinite_step": plain(series.first_bad_step),
    }
    if not values:
        return summary
    return {**summary, "steps": plain(series.steps.tolist()), "values": plain(series.values.tolist())}


def interior_document(run: Run) -> Document:
    """What recording cost, where the time of a step goes, and every layer; empty for a log."""
    step_pace = pace(run)
    return {
        "overhead": told(step_pace, "share=cost steps seconds") if step_pace else None,
        "time": [told(each, "part=called seconds share") for each in times(run)],
        "layers": [_layer(row) for row in anatomy(run).rows],
    }


def _layer(row: Row) -> Json:
    names = "kind shape trainable optimized gradient"
    return {
        "name": row.name,
        "part": row.layer.part if row.layer else "",
        **(told(row.layer, names) if row.layer else dict.fromkeys(names.split())),
        "last": {
            quantity.slug: number(row.figures[quantity]) for quantity in FIGURES if quantity in row.figures
        },
    }
