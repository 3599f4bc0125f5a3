"""What pictures are made of: the drawn data, scales, marks, names and places."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from traindx import quantities
from traindx.diagnosis.engine import diagnose
from traindx.readers.loading.runs import load
from traindx.report.plot_data import Ruler
from traindx.report.png.canvas import columns_for, drawing, slugs
from traindx.report.png.curve import Style, draw, mark_bad, marks, moving_average, scale, sentences
from traindx.report.png.report import gradient_norm
from traindx.run import Axis, Floats, Quantity, Run, Series

DEMO = Path(__file__).parents[3] / "src/traindx/demo"


def series(quantity: Quantity, values: Floats) -> Series:
    return Series(quantity, np.arange(len(values), dtype=np.float64), np.asarray(values, dtype=np.float64))


def test_the_drawn_line_holds_the_extremes_and_the_average_does_not() -> None:
    values = np.ones(300_000)
    values[[100_003, 200_007]] = 9.0, -9.0
    axes = Figure().subplots()
    draw(axes, np.arange(300_000.0), values, Style("#000000", "loss"))
    raw, smoothed = (np.asarray(line.get_ydata()) for line in axes.get_lines())
    assert (raw.min(), raw.max()) == (-9.0, 9.0)
    assert len(raw) < 10_000
    assert 0.9 < smoothed.min() < smoothed.max() < 1.1


def test_a_huge_value_does_not_wipe_out_the_average_after_it() -> None:
    values = np.ones(50_000)
    values[10] = 1e30
    values[30_000:31_000] = np.nan
    at, mean, window = moving_average(np.arange(50_000.0), values)
    assert window == 1050
    assert mean[at > 2000][np.isfinite(mean[at > 2000])] == pytest.approx(1.0)
    assert np.isnan(mean[(at > 30_100) & (at < 30_900)]).all()


def test_what_is_not_finite_is_marked_and_counted() -> None:
    values = np.where(np.arange(500) >= 321, np.nan, 1.0)
    axes = Figure().subplots()
    ((crosses, label),) = mark_bad(axes, np.arange(500.0), values, Style("#000000", ""))
    assert label == "179 values not finite, from 321 on"
    assert np.asarray(axes.get_lines()[0].get_xdata()).min() == 321
    assert crosses in axes.get_lines()
    assert mark_bad(axes, np.arange(500.0), np.ones(500), Style("#000000", "")) == []


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.geomspace(1e-4, 1, 50), "log"),
        (np.linspace(1, 2, 50), "linear"),
        (np.full(5, np.nan), "linear"),
        (np.r_[np.linspace(1, 1.1, 99), 30.0], "log"),
        (np.linspace(-1, 1, 50), "linear"),
        (np.r_[np.linspace(-1, 1, 99), 1e6], "symlog"),
    ],
)
def test_the_scale_is_logarithmic_where_a_linear_one_would_flatten_the_curve(
    values: Floats, expected: str
) -> None:
    axes = Figure().subplots()
    scale(axes, [values])
    assert axes.get_yscale() == expected
    assert [text.get_text() for text in axes.texts] == (["no finite value"] if np.isnan(values).all() else [])


def test_slugs_drop_the_common_folder_and_never_collide() -> None:
    assert slugs(["runs/a/x", "runs/b/x"]) == ["a-x", "b-x"]
    assert slugs(["r/a", "r/a", "r/a-2"]) == ["a", "a-2", "a-2-2"]
    assert slugs(["r"]) == ["r"]
    assert max(map(len, slugs(["x" * 500, "y" * 500]))) <= 60


def test_the_evidence_of_a_sick_run_is_marked_where_it_stands() -> None:
    (sick,), (well,) = load(DEMO / "overfit"), load(DEMO / "cool")
    diagnosis = diagnose(sick)
    drawn = marks(diagnosis, Ruler(sick, sick[quantities.TRAIN_LOSS]))
    spans = {evidence.steps for evidence in diagnosis.suspects[0].evidence}
    assert drawn
    assert {span for mark in drawn for span in mark.spans} <= spans
    assert sentences(diagnosis, drawn)[1].startswith("1  ")
    assert marks(diagnose(well), Ruler(well, well[quantities.TRAIN_LOSS])) == ()


def test_a_validation_loss_by_epoch_lies_at_its_share_of_the_steps() -> None:
    loss = series(quantities.TRAIN_LOSS, np.ones(1001))
    validation = Series(quantities.VAL_LOSS, np.arange(1.0, 11.0), np.ones(10), Axis.EPOCH)
    places = Ruler(Run("mixed", (loss, validation)), loss).positions(validation)
    assert places[-1] == pytest.approx(1000)
    assert places[4] == pytest.approx(500, rel=0.06)


def test_norms_of_zero_leave_the_axis_logarithmic(monkeypatch: pytest.MonkeyPatch) -> None:
    norms = series(quantities.GRADIENT_NORM, np.where(np.arange(100) % 9 == 0, 0.0, 1e-5))
    pages: list[Figure] = []

    def keep(figure: Figure) -> bytes:
        pages.append(figure)
        return b""

    monkeypatch.setattr("traindx.report.png.canvas.as_png", keep)
    with drawing():
        gradient_norm(Run("zeros", (norms,)), None)
    (panel,) = pages[0].axes
    legend = panel.get_legend()
    assert panel.get_yscale() == "log"
    assert legend is not None
    assert legend.get_texts()[-1].get_text() == "12 values exactly 0"


def test_a_legend_has_as_many_columns_as_fit() -> None:
    assert columns_for(["short"] * 4) == 4
    assert columns_for(["x" * 50] * 4) == 2
    assert columns_for(["x" * 90] * 3) == 1
    assert columns_for([]) == 1
