"""Keeps the documents of a treatment beside its arms."""

from importlib.util import find_spec
from pathlib import Path

from traindx.errors import TraindxError
from traindx.report.markdowns.treatment import diagnostic_report, optimization_recommendations
from traindx.report.renderers import html, json
from traindx.trials.treatment import TreatResult


def keep(found: TreatResult, folder: Path) -> Path | None:
    """Write reports, a picture of the arms and the patch into a folder; where the patch is, if any."""
    treatment = found.treatment
    documents: dict[str, str | bytes] = {
        "diagnostic_report.md": diagnostic_report(found.report, treatment),
        "optimization_recommendations.md": optimization_recommendations(found.report, treatment),
        "report.html": html.render(found.report),
        "report.json": json.render(found.report) + "\n",
    }
    if find_spec("matplotlib"):
        from traindx.report.png.treatment import trial_comparison

        picture = trial_comparison(treatment)
        documents |= {} if picture is None else {picture[0]: picture[1]}
    if treatment.patch:
        documents["fix.patch"] = treatment.patch
    for name, content in documents.items():
        _write(folder / name, content)
    return folder / "fix.patch" if treatment.patch else None


def _write(place: Path, content: str | bytes) -> None:
    try:
        place.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "replace"))
    except OSError as error:
        raise TraindxError(f"{place}: cannot be written ({error.strerror}); choose another place") from error
