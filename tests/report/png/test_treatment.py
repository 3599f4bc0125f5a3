"""The picture of a treatment: what is drawn, and that nothing lies on anything else."""

import math
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from tests import treatments
from tests.report.formats import canonical
from traindx.changes.types import label_of
from traindx.report.png import report as png
from traindx.report.png.canvas import BLUE, ORANGE
from traindx.report.png.treatment import trial_comparison
from traindx.trials.types import Arm, Outcome, Pair, Report, Treatment

FAR = treatments.trial(
    "optimizer.lr x 10", [(2.31, 90.0), (2.29, 100.0)], Outcome.WORSE, effect=92.0, interval=(70.0, 114.0)
)


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> list[Figure]:
    """The figures, kept before they become bytes."""
    kept: list[Figure] = []

    def keep(figure: Figure) -> bytes:
        FigureCanvasAgg(figure)
        figure.draw_without_rendering()
        kept.append(figure)
        return b""

    monkeypatch.setattr("traindx.report.png.canvas.as_png", keep)
    return kept


def drawn(pages: list[Figure], treatment: Treatment) -> tuple[Axes, ...]:
    """The curves of what arms are compared by, where there are any, and the effects."""
    assert trial_comparison(treatment) == ("training_comparison.png", b"")
    by_name = {str(axes.get_label()): axes for axes in pages[-1].axes}
    effects = by_name.pop("effects")
    return (*list(by_name.values())[:1], effects)


def lines(axes: Axes, color: str, width: float) -> list[np.ndarray]:
    return [
        np.asarray(line.get_ydata())
        for line in axes.get_lines()
        if line.get_color() == color and line.get_linewidth() == width and line.get_linestyle() == "-"
    ]


def texts(axes: Axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_every_seed_is_a_thin_line_and_their_mean_a_thick_one(pages: list[Figure]) -> None:
    curves, _ = drawn(pages, treatments.won())
    assert [len(lines(curves, color, 0.9)) for color in (BLUE, ORANGE)] == [3, 3]
    (without,), (with_it,) = (lines(curves, color, 2.4) for color in (BLUE, ORANGE))
    assert without[-1] == pytest.approx(2.31, abs=0.05)
    assert with_it[-1] == pytest.approx(0.24, abs=0.05)


def test_right_answers_are_drawn_below(pages: list[Figure]) -> None:
    drawn(pages, treatments.won())
    (answers,) = (axes for axes in pages[-1].axes if axes.get_label() == "accuracy")
    (without,), (with_it,) = (lines(answers, color, 2.4) for color in (BLUE, ORANGE))
    assert without[-1] < 0.1 < 0.8 < with_it[-1]


def test_arms_that_break_are_crossed_and_end_the_mean(pages: list[Figure]) -> None:
    curves, _ = drawn(pages, treatments.mixed())
    crosses = [line for line in curves.get_lines() if line.get_marker() == "x"]
    assert [float(np.asarray(line.get_xdata())[0]) for line in crosses] == [100.0, 100.0]
    (without,) = lines(curves, BLUE, 2.4)
    assert np.isnan(without[-1])
    assert np.isfinite(without[0])


def test_effects_are_sorted_and_named_with_their_figures(pages: list[Figure]) -> None:
    _, effects = drawn(pages, treatments.won())
    said = texts(effects)
    places = [
        said.index(label_of(trial.changes))
        for trial in (treatments.LOWER, treatments.CLIP, treatments.WARMUP)
    ]
    assert places == sorted(places)
    assert "2.31 → 0.24 · helped" in said
    assert "not applicable" in said


def test_dots_stand_at_the_effect_in_percent_of_the_control(pages: list[Figure]) -> None:
    _, effects = drawn(pages, Treatment((treatments.LOWER, treatments.CLIP), treatments.LOWER))
    dots = [line for line in effects.get_lines() if line.get_markersize() == 7 and line.get_marker() == "o"]
    at = [float(np.asarray(line.get_xdata())[0]) for line in dots]
    assert at == pytest.approx([-100 * 2.07 / 2.31, -100 * 0.03 / 2.31])
    assert [line.get_markerfacecolor() == "white" for line in dots] == [False, True]


@pytest.mark.parametrize(
    ("treatment", "scale"),
    [
        (treatments.won(), "linear"),
        (Treatment((treatments.LOWER, FAR), treatments.LOWER), "symlog"),
        (Treatment((treatments.REFUSED,), None), "linear"),
    ],
)
def test_the_axis_is_logarithmic_where_an_effect_is_far(
    pages: list[Figure], treatment: Treatment, scale: str
) -> None:
    assert drawn(pages, treatment)[-1].get_xscale() == scale


@pytest.mark.parametrize(
    "treatment",
    [
        treatments.won(),
        treatments.lost(),
        treatments.mixed(),
        treatments.hostile(),
        Treatment((treatments.LOWER, FAR, treatments.SAVED, treatments.HOPEFUL), treatments.LOWER),
        Treatment((treatments.CLIP,) * 30, None),
    ],
)
def test_no_label_lies_on_another_or_leaves_the_picture(pages: list[Figure], treatment: Treatment) -> None:
    axes = drawn(pages, treatment)[-1]
    boxes = [text.get_window_extent() for text in axes.texts]
    page = pages[-1].bbox
    for index, box in enumerate(boxes):
        assert page.x0 <= box.x0
        assert box.x1 <= page.x1 + 2
        assert not any(box.overlaps(other) for other in boxes[index + 1 :])


def test_many_trials_are_counted(pages: list[Figure]) -> None:
    axes = drawn(pages, Treatment((treatments.CLIP,) * 30, None))[-1]
    assert texts(axes).count("clip gradients at 1.0") == 12
    assert "Not shown: 18 trials" in pages[-1].get_supxlabel()


def test_without_curves_there_are_only_effects(pages: list[Figure]) -> None:
    pairs = tuple(
        Pair(replace(pair.control, curve=(), metrics=()), replace(pair.treated, curve=(), metrics=()))
        for pair in treatments.LOWER.pairs
    )
    bare = replace(treatments.LOWER, pairs=pairs)
    assert len(drawn(pages, Treatment((bare,), bare))) == 1


def test_odd_curves_are_drawn() -> None:
    def arm(*curve: tuple[float, float]) -> Arm:
        return Arm(0, (), "", 1.0, curve)

    pairs = (
        Pair(arm((5.0, 1.0)), arm((1.0, 1e308), (2.0, -1e308), (9.0, 1e308))),
        Pair(arm((1.0, 2.0), (3.0, math.inf)), arm((7.0, 3.0), (8.0, 3.0))),
    )
    odd = replace(treatments.LOWER, pairs=pairs)
    picture = trial_comparison(Treatment((odd,), odd))
    assert trial_comparison(Treatment((), None)) is None
    assert picture is not None
    assert picture[1].startswith(b"\x89PNG")


def test_a_report_with_a_treatment_has_the_picture_of_it() -> None:
    run, _ = canonical.demo_runs()
    plain = png.render(Report((run,), diagnoses=(canonical.sick(),)))
    treated = png.render(Report((run,), diagnoses=(canonical.sick(),), treatment=treatments.won()))
    assert set(treated) - set(plain) == {"training_comparison.png"}
    assert treated["training_comparison.png"].startswith(b"\x89PNG")
