"""The report as pictures, drawn by matplotlib: every spike is kept, the evidence is marked."""

from traindx.diagnosis.types import Diagnosis
from traindx.report.png.canvas import drawing, slugs
from traindx.report.png.gradient_norm import gradient_norm
from traindx.report.png.loss_curve import loss_curve, lr_loss, objective_curve
from traindx.report.png.training_comparison import training_comparison
from traindx.report.png.treatment import trial_comparison
from traindx.run import Run
from traindx.trials.types import Report

_MOST_RUNS = 12
"""A comparison of more runs than this is one picture, and pictures of the best."""


def render(report: Report) -> dict[str, bytes]:
    """PNG files by name: of each run what its data allow, of several runs, of the trials of a treatment."""
    pictures: dict[str, bytes] = {}
    with drawing():
        for run, diagnosis, prefix in _runs(report):
            for draw in (loss_curve, objective_curve, lr_loss, gradient_norm):
                if drawn := draw(run, diagnosis):
                    pictures[prefix + drawn[0]] = drawn[1]
        if (report.comparison or len(report.runs) == 2) and (
            drawn := training_comparison(report.runs, report.comparison)
        ):
            pictures[drawn[0]] = drawn[1]
        if report.treatment and (drawn := trial_comparison(report.treatment)):
            pictures[drawn[0]] = drawn[1]
    return pictures


def _runs(report: Report) -> list[tuple[Run, Diagnosis | None, str]]:
    """The runs to draw, with what stands before the names of their files."""
    diagnoses = report.diagnoses or (None,) * len(report.runs)
    several = len(report.runs) > 1
    prefixes = [f"{slug}_" if several else "" for slug in slugs([run.name for run in report.runs])]
    found = list(zip(report.runs, diagnoses, prefixes, strict=True))
    if report.comparison is None or len(found) <= _MOST_RUNS:
        return found
    best = {entry.run for entry in report.comparison.entries[:_MOST_RUNS]}
    return [one for one in found if one[0].name in best]
