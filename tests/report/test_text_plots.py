import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx.report.plot_data import NON_FINITE
from traindx.report.text_plots import MARK, SECOND_LETTER, Drawn, Ink, SmallPlot, small_plot

WIDTH, HEIGHT = 60, 8


def plot(*curves: list[float], mark: float | None = None) -> SmallPlot:
    """Of WIDTH cells between its edges, however wide its labels are."""
    drawn = [Drawn(np.linspace(0, 1, len(values)), np.array(values)) for values in curves]
    tried = small_plot(drawn, height=HEIGHT)
    assert tried is not None
    shown = small_plot(drawn, width=WIDTH + tried.lines[-1].index("└") + 1, height=HEIGHT, mark=mark)
    assert shown is not None
    return shown


def dots(shown: SmallPlot, row: int) -> str:
    """The cells of a row, without its label and edge."""
    return shown.lines[row][-WIDTH:]


def test_every_row_has_the_same_width() -> None:
    shown = plot([3.0, 2.0, 1.0], [3.5, 2.0, 2.5], mark=0.4)
    assert len(shown.lines) == HEIGHT + 1
    assert {len(line) for line in shown.lines} == {len(shown.lines[0])}
    assert shown.lines[0].lstrip().startswith("3.5 ┤")
    assert shown.lines[HEIGHT - 1].lstrip().startswith("1 ┤")


def test_one_wild_step_in_a_million_stays_visible() -> None:
    values = np.linspace(2, 1, 1_000_000)
    values[345_678] = 9
    shown = plot(values.tolist())
    assert dots(shown, 0).strip()
    assert dots(shown, 0).index(dots(shown, 0).strip()) == 20  # of 60


def test_a_dip_stays_visible_as_well() -> None:
    values = [2.0] * 1000
    values[500] = 0.5
    assert dots(plot(values), HEIGHT - 1).strip()


def test_the_line_has_no_holes() -> None:
    shown = plot([5.0, 1.0, 4.0])
    for column in range(WIDTH):
        assert any(dots(shown, row)[column] != " " for row in range(HEIGHT)), column


def test_crosses_stand_where_values_are_not_finite() -> None:
    shown = plot([2.0] * 50 + [float("nan")] * 25 + [float("inf")] * 25)
    assert dots(shown, 0) == " " * 30 + NON_FINITE * 30


def test_nothing_is_drawn_where_nothing_is_finite() -> None:
    assert small_plot([Drawn(np.linspace(0, 1, 3), np.full(3, np.nan))]) is None


def test_the_second_curve_is_in_letters_of_its_own_ink() -> None:
    shown = plot([1.0, 1.0], [2.0, 2.0])
    assert dots(shown, 0)[0] == dots(shown, 0)[-1] == SECOND_LETTER
    assert {piece.ink for piece in shown.rows[0]} == {Ink.FRAME, Ink.SECOND}


@pytest.mark.parametrize("at", [30, 31])
@pytest.mark.parametrize("points", [60, 6000])
def test_a_spike_of_a_dense_second_curve_stays_visible(points: int, at: int) -> None:
    values = [1.0] * points
    values[at * points // 60] = 9.0
    first = [1.0 + 0.001 * step for step in range(points)]
    assert dots(plot(first, values), 0)[at] == SECOND_LETTER


def test_a_dense_second_curve_does_not_hide_the_first() -> None:
    row = dots(plot([1.0] * 600 + [2.0], [1.0] * 600 + [2.0]), HEIGHT - 1)
    assert row.count(SECOND_LETTER) == pytest.approx(WIDTH / 2, abs=2)


def test_the_marked_place_has_an_arrow() -> None:
    axis = plot([1.0, 2.0], mark=0.5).lines[HEIGHT][-WIDTH:]
    assert axis == "─" * 30 + MARK + "─" * 29


@pytest.mark.parametrize(
    ("values", "logarithmic"),
    [
        ([3.0, 2.0, 1.0], False),
        ([3.0, 0.1, 0.001], True),
        ([1.0] * 60 + [9.0] + [1.1] * 60, True),
        ([-1.0, 1e6, 2.0], False),
        ([0.0, 1e6, 2.0], False),
    ],
)
def test_the_scale_is_logarithmic_only_where_it_must_be(values: list[float], logarithmic: bool) -> None:
    assert plot(values).logarithmic is logarithmic


@given(
    st.lists(st.floats(allow_nan=True, allow_infinity=True), min_size=1, max_size=300), st.integers(8, 120)
)
def test_any_values_fit_into_the_frame(values: list[float], width: int) -> None:
    drawn = Drawn(np.linspace(0, 1, len(values)), np.array(values))
    shown = small_plot([drawn, drawn], width=width)
    if not np.isfinite(values).any():
        assert shown is None
        return
    assert shown is not None
    assert {len(line) for line in shown.lines} == {len(shown.lines[0])}


def test_a_constant_has_its_one_value_beside_the_line() -> None:
    shown = plot([0.3, 0.3, 0.3])
    labeled = [row for row in range(HEIGHT) if "0.3" in shown.lines[row]]
    assert labeled == [row for row in range(HEIGHT) if dots(shown, row).strip()]
    assert len(labeled) == 1
