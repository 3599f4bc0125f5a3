"""Keeps the documents of a treatment in its folder."""

from importlib.util import find_spec
from pathlib import Path

from traindx.errors import TraindxError
from traindx.report import markdown
from traindx.report.html import writer
from traindx.report.json import report as json
from traindx.report.results import recommendations
from traindx.report.results.treatment import page as page_of
from traindx.trials.treatment import TreatResult


def keep(found: TreatResult, folder: Path, name: str = "") -> Path | None:
    """Write reports, pictures of the trials and the patch into a folder; where the patch is, if any.

    `name` is what `traindx apply` calls the treatment from where the user is.
    """
    treatment, judged = found.treatment, (found.report.runs[0], found.report.diagnoses[0])
    name = name or found.folder.name
    page = page_of(*judged, treatment, beliefs=found.beliefs, name=name, seconds=found.elapsed)
    documents: dict[str, str | bytes] = {
        "diagnostic_report.md": markdown.write(page, everything=True),
        "optimization_recommendations.md": markdown.write(
            recommendations.page(*judged, treatment), everything=True
        ),
        "report.html": writer.write(page),
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
        raise TraindxError(f"{place}: can't write it ({error.strerror}); choose another folder") from error
