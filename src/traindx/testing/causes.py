"""What every cause must hold, checked on a training that has it and one that does not."""

import re

from traindx.cause import Cause
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Diagnosis, Verdict
from traindx.run import Run

_BELIEVED = 0.5
"""The confidence from which a cause is likelier than not."""


def check_cause(cause: Cause, broken: Run, fixed: Run, *, rival: str = "") -> None:
    """Raise AssertionError unless the broken run names the cause first and the fixed one does not believe it.

    The two are the same training with and without the fault; `rival` is a cause that may come before it.
    """
    _check_page(cause)
    sick, well = diagnose(broken), diagnose(fixed)
    named = [suspect.cause.slug for suspect in sick.suspects if suspect.cause.slug != rival][:1]
    assert named == [cause.slug], f"{cause.slug} is not the first cause of the broken run: {_suspects(sick)}"
    suspect = next(suspect for suspect in sick.suspects if suspect.cause.slug == cause.slug)
    total = sum(reason.points for reason in suspect.reasons)
    assert abs(total - suspect.score) < 1e-9, (
        f"{cause.slug}: the reasons add up to {total}, not {suspect.score}"
    )
    believed = _suspects(well)
    assert believed.get(cause.slug, 0.0) < _BELIEVED, (
        f"{cause.slug} has a high confidence in the fixed run: {believed}"
    )
    assert well.verdict is not Verdict.SICK or well.suspects[0].cause.slug != cause.slug, believed


def _suspects(diagnosis: Diagnosis) -> dict[str, float]:
    return {suspect.cause.slug: round(suspect.confidence, 2) for suspect in diagnosis.suspects}


def _check_page(cause: Cause) -> None:
    assert cause.what_not_to_do, f'{cause.slug}: no "What not to do"'
    assert cause.rivals, f'{cause.slug}: no rival in "Often confused with"'
    assert all(rival.slug != cause.slug for rival in cause.rivals), f"{cause.slug} is its own rival"
    for fix in cause.fixes:
        assert fix.expect, f"{cause.slug}: {fix.title}: expect is empty"
        assert fix.not_when, f"{cause.slug}: {fix.title}: not_when is empty"
        for code in (fix.before, fix.code):
            compile(code, cause.slug, "exec")
    first = cause.fixes[0]
    assert first.before, f"{cause.slug}: {first.title}: before is empty"
    assert first.code, f"{cause.slug}: {first.title}: code is empty"
    assert cause.symptoms, f"{cause.slug}: no symptom"
    assert any(clue.seen > 0 for clue in cause.clues), f"{cause.slug}: no clue counts for it"
    assert re.search(r"(?m)^- ", cause.sections["References"]), f"{cause.slug}: no reference"
