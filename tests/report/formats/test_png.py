"""Pictures: every spike is kept, names are literal, only what was recorded is drawn."""

import io
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.image import imread
from numpy.typing import NDArray

from traindx import facts, quantities
from traindx.comparison.engine import compare
from traindx.diagnosis.engine import diagnose
from traindx.errors import TraindxError
from traindx.readers.loading.runs import load
from traindx.report.png import report as png
from traindx.report.png.canvas import drawing
from traindx.report.png.training_comparison import training_comparison
from traindx.run import Floats, Quantity, Run, Series
from traindx.trials.types import Report

DEMO = Path(__file__).parents[3] / "src/traindx/demo"
SWEEPS = Path(__file__).parents[2] / "data/sweeps"
MAGIC = b"\x89PNG\r\n"


def series(quantity: Quantity, values: Floats) -> Series:
    return Series(quantity, np.arange(len(values), dtype=np.float64), np.asarray(values, dtype=np.float64))


def run(values: Floats, name: str = "run") -> Run:
    wanted = (quantities.TRAIN_LOSS, quantities.VAL_LOSS, quantities.LEARNING_RATE, quantities.GRADIENT_NORM)
    return Run(name, tuple(series(quantity, values) for quantity in wanted))


def pixels(picture: bytes) -> NDArray[np.float64]:
    return np.asarray(imread(io.BytesIO(picture)), dtype=np.float64)[..., :3]


@pytest.fixture(scope="module")
def demo() -> tuple[Run, ...]:
    return tuple(load(DEMO / name)[0] for name in ("hot", "cool", "overfit", "nan"))


def test_one_run_gets_plain_names_and_only_pictures_of_what_it_recorded(demo: tuple[Run, ...]) -> None:
    pictures = png.render(Report(demo[:1], diagnoses=(diagnose(demo[0]),)))
    assert list(pictures) == ["loss_curve.png", "gradient_norm.png"]
    assert all(picture.startswith(MAGIC) for picture in pictures.values())
    everything = png.render(Report((run(np.linspace(2, 1, 50)),)))
    assert list(everything) == ["loss_curve.png", "lr_loss.png", "gradient_norm.png"]


def test_nothing_to_draw_is_no_picture() -> None:
    empty = Run("empty", ())
    rate = Run("rate", (series(quantities.LEARNING_RATE, np.ones(9)),))
    point = Run("point", (series(quantities.TRAIN_LOSS, np.ones(1)),))
    for each in (empty, rate, point):
        assert png.render(Report((each,))) == {}
    assert png.render(Report((empty, rate))) == {}


def test_a_reward_is_drawn_where_there_is_no_loss() -> None:
    agent = Run("agent", (series(quantities.REWARD, np.linspace(0, 9, 80)),))
    assert list(png.render(Report((agent,)))) == ["reward_curve.png"]


def test_one_wild_step_in_a_million_is_visible() -> None:
    values = 1 + 0.1 * np.sin(np.arange(1_000_000.0))
    values[712_345] = 50.0
    picture = pixels(
        png.render(Report((Run("long", (series(quantities.TRAIN_LOSS, values),)),)))["loss_curve.png"]
    )
    # Above the band of ordinary values and below the legend only the spike is blue.
    upper = picture[90:250]
    blue = (upper[..., 2] - upper[..., 0] > 0.15).sum(axis=0)
    columns = np.flatnonzero(blue > 100)
    assert 1 <= len(columns) <= 4
    assert columns.max() - columns.min() < 4
    assert columns.mean() / picture.shape[1] == pytest.approx(0.712, abs=0.06)


@pytest.mark.parametrize(
    "values",
    [
        np.full(200, np.nan),
        np.full(200, np.inf),
        np.zeros(200),
        np.full(200, 1e-320),
        np.where(np.arange(200) % 2, np.nan, 1.0),
        np.array([1.0, np.nan]),
        1.7e308 * np.cos(np.arange(200.0)),
        np.r_[np.ones(100), np.full(100, -np.inf)],
        -np.exp(np.linspace(0, 50, 200)),
    ],
)
def test_odd_values_are_drawn(values: Floats) -> None:
    pictures = png.render(Report((run(values),)))
    assert len(pictures) == 3
    assert all(picture.startswith(MAGIC) for picture in pictures.values())
    with drawing():
        beside = training_comparison([run(values), run(np.ones(30))], None)
    assert beside is not None
    assert beside[1].startswith(MAGIC)


HOSTILE = [
    r"$\frac{1}{0$",
    "_hidden",
    "../../etc/passwd",
    "C:\\con",
    "\x1b[31mred",
    "",
    "..",
    "A",
    "a",
    "名前",
    "$x^2$",
]


def test_names_from_logs_are_literal_and_make_safe_unique_files() -> None:
    loss = series(quantities.TRAIN_LOSS, np.linspace(1, 0.5, 20))
    odd = [Run(name, (replace(loss, part=name),)) for name in HOSTILE]
    pictures = png.render(Report(tuple(odd)))
    assert len(pictures) == len(HOSTILE)
    assert len({name.casefold() for name in pictures}) == len(pictures)
    for name in pictures:
        assert Path(name).name == name
        assert name.isascii()
        assert not set(name) & set('/\\:*?"<>|$ \x1b')
        assert name[0] not in ".-"


def test_parts_and_layers_from_logs_are_literal() -> None:
    named = run(np.linspace(1, 0.5, 20))
    parts = [replace(curve, part=r"$\alpha_") for curve in named.series]
    parts += [replace(parts[2], part="_$", values=np.ones(20)), replace(parts[3], part="", layer=r"_$\beta{")]
    del parts[3]
    assert len(png.render(Report((replace(named, series=tuple(parts)),)))) == 3


def test_settings_of_the_user_neither_change_the_pictures_nor_are_changed(demo: tuple[Run, ...]) -> None:
    report = Report(demo[:1])
    plain = png.render(report)
    with matplotlib.rc_context({"text.usetex": True, "axes.facecolor": "red", "savefig.dpi": 30}):
        assert png.render(report) == plain
        assert matplotlib.rcParams["axes.facecolor"] == "red"


def test_matplotlib_is_imported_late_and_without_its_global_state() -> None:
    code = (
        "import sys; from traindx.report.png import report as png; assert 'matplotlib' not in sys.modules\n"
        "import numpy as np; from traindx.trials.types import Report; from traindx.run import Run\n"
        "from traindx.run import Series; from traindx.quantities import TRAIN_LOSS as t\n"
        "loss = Series(t, np.arange(9.0), np.ones(9))\n"
        "assert png.render(Report((Run('a', (loss,)), Run('b', (loss,)))))\n"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(TraindxError, match=r"^pictures need matplotlib: pip install traindx\[plots\]$"):
        png.render(Report(()))


def test_the_clip_limit_is_drawn_where_it_is_known() -> None:
    norms = Run("norms", (series(quantities.GRADIENT_NORM, np.geomspace(1, 50, 100)),))
    clipped = replace(norms, facts={facts.GRADIENT_CLIP: 5.0})
    assert png.render(Report((norms,))) != png.render(Report((clipped,)))
    for nonsense in (-1.0, True, "none", float("nan")):
        odd = replace(norms, facts={facts.GRADIENT_CLIP: nonsense})
        assert png.render(Report((norms,))) == png.render(Report((odd,)))


def test_two_runs_get_one_picture_of_both(demo: tuple[Run, ...]) -> None:
    assert "training_comparison.png" in png.render(Report(demo[:2]))
    losses = tuple(replace(each, series=(each[quantities.TRAIN_LOSS],)) for each in demo[:3])
    assert "training_comparison.png" not in png.render(Report(losses))


def test_a_comparison_of_many_runs_shows_the_best_ones_singly() -> None:
    losses = [series(quantities.VAL_LOSS, np.linspace(2, 1 + index / 40, 12)) for index in range(15)]
    many = tuple(Run(f"r{index:02}", (loss,)) for index, loss in enumerate(losses))
    diagnoses = tuple(diagnose(each) for each in many)
    pictures = png.render(Report(many, diagnoses=diagnoses, comparison=compare(many, diagnoses)))
    assert list(pictures) == [
        *(f"r{index:02}_loss_curve.png" for index in range(12)),
        "training_comparison.png",
    ]


def test_a_diverged_run_does_not_flatten_the_others() -> None:
    sweep = tuple(load(SWEEPS / "lr"))
    diagnoses = tuple(diagnose(each) for each in sweep)
    with drawing():
        picture = training_comparison(sweep, compare(sweep, diagnoses))
    assert picture is not None
    left = pixels(picture[1])[120:410, 60:600]
    # The best run falls from 2.3 to 0.02: it must fill its panel though another run went to 4e22.
    blue = (left[..., 2] - left[..., 0] > 0.3) & (left[..., 1] < 0.6)
    rows = np.flatnonzero(blue.any(axis=1))
    assert rows.max() - rows.min() > 150
