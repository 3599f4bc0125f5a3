"""Options that a project sets in `[tool.traindx]`."""

import json
from pathlib import Path

import pytest

from tests.cli.calling import HOT, traindx


def told(tmp_path: Path, table: str, *words: str) -> tuple[int, str, str]:
    (tmp_path / "pyproject.toml").write_text(f"[tool.traindx]\n{table}\n")
    done = traindx("diagnose", *words, HOT, cwd=tmp_path)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("table", ['fail-on = "sick"', 'fail-on = ["sick"]', 'diagnose.fail-on = "sick"'])
def test_an_option_is_set_for_every_command_or_for_one(tmp_path: Path, table: str) -> None:
    assert told(tmp_path, table)[0] == 1


def test_what_is_set_for_another_command_does_not_count(tmp_path: Path) -> None:
    assert told(tmp_path, 'compare.fail-on = "sick"\nout = "runs"')[0] == 0


def test_what_is_typed_wins(tmp_path: Path) -> None:
    assert told(tmp_path, 'json = "-"', "--json", "own.json")[0] == 0
    assert json.loads((tmp_path / "own.json").read_text())["runs"]


def test_a_flag_is_on_or_off(tmp_path: Path) -> None:
    lines = [len(told(tmp_path, f"quiet = {value}")[1].splitlines()) for value in ("true", "false")]
    assert lines[0] == 1 < lines[1]


@pytest.mark.parametrize(
    ("table", "says"),
    [
        ("color = true", "color must be "),
        ('all = "yes"', "all must be true or false"),
        ("limit.loss_diverges.lost = 3", "limit must be "),
        ("diagnose = 3", "[tool.traindx.diagnose]: expected a table"),
        ("diagnose.bogus = 3", 'unknown option "bogus"'),
        ("budgt = 3", "did you mean budget?"),
    ],
)
def test_what_makes_no_sense_is_said_with_its_file(tmp_path: Path, table: str, says: str) -> None:
    code, out, err = told(tmp_path, table)
    assert (code, out) == (2, "")
    assert err.startswith(f"traindx diagnose: {tmp_path / 'pyproject.toml'}: ")
    assert says in err
    assert err.count("\n") == 1
