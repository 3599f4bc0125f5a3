"""The casebook."""

import json
import math
from collections.abc import Sequence

from traindx.report.documents.value import Json, head, number
from traindx.trials.types import Case


def cases_document(cases: Sequence[Case]) -> str:
    """Cases as indented JSON, the latest first; what is not finite is null, and `says` tells why."""
    document: Json = {**head("cases"), "cases": [_case(case) for case in cases]}
    # In letters of ASCII: a terminal would obey some of what names can hold.
    return json.dumps(document, indent=2, allow_nan=False) + "\n"


def _case(case: Case) -> Json:
    interval: Json = (
        None if case.low is None or case.high is None else [_finite(case.low), _finite(case.high)]
    )
    return {
        "when": case.when,
        "project": case.project,
        "command": case.command,
        "run": case.run,
        "verdict": case.verdict,
        "suspect": case.suspect or None,
        "confidence": _finite(case.confidence),
        "change": case.change or None,
        "cause": case.cause or None,
        "title": case.title or None,
        "measure": case.measure or None,
        "control": _finite(case.control),
        "treated": _finite(case.treated),
        "effect": _finite(case.effect),
        "interval": interval,
        "outcome": case.outcome or None,
        "says": case.says or None,
        "seeds": case.seeds,
        "proven": case.proven,
        "patch_applied": case.patch_applied,
    }


def _finite(value: float | None) -> Json:
    return None if value is None or not math.isfinite(value) else number(value)
