"""The project's table, and the options that do the same."""

from pathlib import Path

import pytest

from traindx.errors import SettingsError, TraindxError
from traindx.quantities import VAL_SCORE
from traindx.settings import defaults_in, limits_from, limits_in, names_from, names_in


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "deep/inside").mkdir(parents=True)
    return tmp_path


def test_the_nearest_table_above_counts(project: Path) -> None:
    (project / "pyproject.toml").write_text('[tool.traindx.map]\nzeta = "val_score"\n')
    assert names_in(project / "deep/inside") == {"zeta": VAL_SCORE}
    (project / "deep/pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert names_in(project / "deep/inside") == {}


def test_a_name_may_hold_an_equals_sign() -> None:
    assert names_from(["a=b=val_score"]) == {"a=b": VAL_SCORE}


@pytest.mark.parametrize(
    "table",
    ["[tool.traindx.limits]\nloss_diverges.lost = 0.6", "[tool.traindx.limits.loss_diverges]\nlost = 0.6"],
)
def test_limits_stand_dotted_or_nested(project: Path, table: str) -> None:
    (project / "pyproject.toml").write_text(table)
    assert limits_in(project) == {"loss_diverges": {"lost": 0.6}}


def test_an_option_beats_the_table_and_leaves_the_rest() -> None:
    kept = {"loss_diverges": {"lost": 0.6, "noises": 3.0}}
    changed = limits_from(["loss_diverges.lost=0.7", "loss_spikes.most=9"], kept)
    assert changed == {"loss_diverges": {"lost": 0.7, "noises": 3.0}, "loss_spikes": {"most": 9}}
    assert kept["loss_diverges"]["lost"] == 0.6


def test_a_whole_number_stays_whole() -> None:
    points = limits_from(["loss_diverges.points=12.0"], {})["loss_diverges"]["points"]
    assert isinstance(points, int)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("limits = 3", "[tool.traindx.limits]: expected lines such as loss_diverges.lost = 0.5"),
        ("limits = {loss_diverges = 3}", "expected lines such as loss_diverges.lost = 0.5"),
        ("limits.loss_diverge.lost = 3", 'unknown check "loss_diverge"; did you mean loss_diverges?'),
        ("limits.loss_diverges.rato = 3", 'has no limit "rato"; it has lost, noises, points'),
        ("limits.loss_diverges.lost = true", 'loss_diverges.lost: expected a number, got "True"'),
        ("limits.loss_diverges.lost = nan", 'loss_diverges.lost: expected a number, got "nan"'),
        ("limits.loss_diverges.lost = [1]", 'loss_diverges.lost: expected a number, got "[1]"'),
    ],
)
def test_a_table_that_makes_no_sense_is_said(project: Path, table: str, says: str) -> None:
    (project / "pyproject.toml").write_text(f"[tool.traindx]\n{table}\n")
    with pytest.raises(TraindxError) as refused:
        limits_in(project)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("limis.loss_diverges.lost = 3", 'unknown option "limis" in [tool.traindx]; did you mean limits?'),
        ("maps = {a = 'val_score'}", "did you mean map?"),
        ("budgt = 1", "did you mean budget?"),
        ("runn.budget = 1", "did you mean run?"),
        ("zeta = true", 'unknown option "zeta" in [tool.traindx]; use map, limits or an option'),
    ],
)
def test_an_unknown_option_is_said(project: Path, table: str, says: str) -> None:
    (project / "pyproject.toml").write_text(f"[tool.traindx]\n{table}\n")
    with pytest.raises(SettingsError) as refused:
        defaults_in(project, ["budget", "color"], ["run"])
    assert says in str(refused.value)


def test_options_for_all_commands_and_for_one_are_defaults(project: Path) -> None:
    (project / "pyproject.toml").write_text("[tool.traindx]\ncolor = 'never'\nmap = {}\nrun.budget = 1\n")
    defaults, where = defaults_in(project / "deep", ["budget", "color"], ["run"])
    assert defaults == {"color": "never", "run": {"budget": 1}}
    assert where == str(project / "pyproject.toml")


@pytest.mark.parametrize("text", ["[tool\n", "tool = 3\n", "[tool]\ntraindx = 3\n"])
def test_a_broken_or_foreign_file_breaks_nothing_else(project: Path, text: str) -> None:
    (project / "pyproject.toml").write_text(text)
    if text == "[tool\n":
        with pytest.raises(TraindxError, match=r"fix the file"):
            limits_in(project)
    else:
        assert limits_in(project) == {}
