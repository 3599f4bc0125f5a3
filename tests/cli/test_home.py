"""What every command has in common: the first screen, help, hints at what was meant, colors, defaults."""

from pathlib import Path

import pytest

from tests.cli.calling import HOT, traindx
from traindx import __version__
from traindx.cli import HOME, commands_in

TABLE = "a,b,label\n" + "".join(f"{row * 37 % 101},{row * 59 % 97},{row % 2}\n" for row in range(90))


@pytest.mark.parametrize("words", [[], ["help"], ["help", "help"]])
def test_the_first_screen_names_every_command_and_where_to_start(words: list[str], tmp_path: Path) -> None:
    done = traindx(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, HOME, "")


def test_the_first_screen_fits_a_terminal_and_forgets_nothing() -> None:
    lines = HOME.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert lines[2].split()[:5] == ["Start", "here", "traindx", "run", "train.py"]
    assert lines[3].split()[:2] == ["traindx", "demo"]
    named = {"demo", *(word for line in lines[4:-1] for word in line[14:].split())} - {"|"}
    assert named == {*commands_in("traindx.cli"), *commands_in("traindx.cli.examine")}


@pytest.mark.parametrize("command", ["run", "diagnose", "lr-find", "apply", "examine", "examine data"])
def test_help_of_a_command_is_what_its_option_prints(command: str, tmp_path: Path) -> None:
    asked = traindx("help", *command.split(), cwd=tmp_path)
    assert (asked.returncode, asked.stderr) == (0, "")
    assert asked.stdout.startswith(f"usage: traindx {command} ")
    assert asked.stdout == traindx(*command.split(), "--help", cwd=tmp_path).stdout


@pytest.mark.parametrize("words", [["version"], ["--version"], ["version", "--all"]])
def test_the_version(words: list[str], tmp_path: Path) -> None:
    done = traindx(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"traindx {__version__}\n", "")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["dignose", "runs"], 'traindx: unknown command "dignose"; did you mean diagnose?'),
        (["help", "dignose"], 'traindx: unknown command "dignose"; did you mean diagnose?'),
        (["hepl"], "did you mean help?"),
        (["zzz"], 'traindx: unknown command "zzz"; traindx lists the commands'),
        ([""], 'traindx: unknown command ""; '),
        (["train.py", "--lr", "3"], 'unknown command "train.py"; did you mean: traindx run train.py --lr 3'),
        (["gone.py"], "did you mean: traindx run gone.py"),
        (["train.log"], "did you mean: traindx diagnose train.log"),
        (["examine", "dat"], 'traindx examine: unknown exam "dat"; did you mean data?'),
        (["skill", "shwo"], 'traindx skill: unknown action "shwo"; did you mean show?'),
        (["diagnose", "--fial-on", "sick"], 'diagnose: unknown option "--fial-on"; did you mean --fail-on?'),
        (["run", "--max-stps=5", "x.py"], 'run: unknown option "--max-stps"; did you mean --max-steps?'),
        (["examine", "data", "--jsn", "x"], 'data: unknown option "--jsn"; did you mean --json?'),
        (["causes", "--color", "allways"], 'causes: unknown --color "allways"; did you mean always?'),
        (["causes", "--color", "7"], "expected auto, always, never"),
        (["causes", "--zzz"], "traindx causes: unrecognized arguments: --zzz; see traindx causes --help"),
        (["--zzz"], "traindx: unrecognized arguments: --zzz; see traindx --help"),
    ],
)
def test_what_was_meant_is_said_in_one_line(words: list[str], says: str, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("open('ran', 'w')")
    (tmp_path / "train.log").write_text("step,loss\n0,1\n")
    done = traindx(*words, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("words", "environment", "colored"),
    [
        ([], {}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["--color", "always"], {}, True),
        (["--color", "always"], {"NO_COLOR": "1"}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        (["--color", "auto"], {"FORCE_COLOR": "1"}, True),
        (["--color", "auto"], {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_colors_are_as_they_are_wanted(
    words: list[str], environment: dict[str, str], colored: bool, tmp_path: Path
) -> None:
    wanted = {"NO_COLOR": "", "FORCE_COLOR": "", **environment}
    behind = traindx("diagnose", HOT, *words, cwd=tmp_path, **wanted)
    assert ("\x1b[" in behind.stdout) is colored
    before = traindx(*words, "diagnose", HOT, cwd=tmp_path, **wanted)
    assert before.stdout == behind.stdout


def test_commands_of_a_command_take_its_color(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text(TABLE)
    for words in (["--color", "always", "data"], ["data", "--color", "always"]):
        done = traindx("examine", *words, "table.csv", cwd=tmp_path, NO_COLOR="1")
        assert "\x1b[" in done.stdout


@pytest.mark.parametrize("choice", ["always", "never"])
def test_the_program_sees_the_colors_that_its_user_chose(choice: str, tmp_path: Path) -> None:
    (tmp_path / "show.py").write_text(
        "import os\nprint([os.environ.get(name) for name in ('NO_COLOR', 'FORCE_COLOR')])\n"
    )
    done = traindx("run", "--color", choice, "show.py", cwd=tmp_path, NO_COLOR="no", FORCE_COLOR="yes")
    assert done.stdout.splitlines()[0] == "['no', 'yes']"


def in_project(here: Path, settings: str, *words: str) -> tuple[int, str, str]:
    """The exit code of a command in a project with settings, and what it prints."""
    (here / "pyproject.toml").write_text(settings)
    (here / "table.csv").write_text(TABLE)
    done = traindx(*words, cwd=here, NO_COLOR="1")
    return done.returncode, done.stdout, done.stderr


def test_a_project_sets_options_of_all_commands_or_of_one(tmp_path: Path) -> None:
    below = tmp_path / "deep" / "down"
    below.mkdir(parents=True)
    code, out, _ = in_project(tmp_path, "[tool.traindx]\nquiet = true\n", "diagnose", HOT)
    assert (code, out.count("\n"), out.startswith("SICK ")) == (0, 1, True)
    assert traindx("diagnose", HOT, cwd=below).stdout == out
    of_one = "[tool.traindx.compare]\nquiet = true\n"
    assert in_project(tmp_path, of_one, "diagnose", HOT)[1].count("\n") > 1
    both = "[tool.traindx]\njson = 'all.json'\n[tool.traindx.diagnose]\njson = 'one.json'\n"
    assert in_project(tmp_path, both, "diagnose", HOT)[0] == 0
    assert (tmp_path / "one.json").exists()
    assert not (tmp_path / "all.json").exists()


def test_what_is_typed_wins(tmp_path: Path) -> None:
    settings = "[tool.traindx]\njson = 'set.json'\ncolor = 'always'\nquiet = false\n"
    _, out, _ = in_project(tmp_path, settings, "diagnose", HOT, "--json", "typed.json")
    assert "\x1b[" in out
    assert (tmp_path / "typed.json").exists()
    assert not (tmp_path / "set.json").exists()
    _, out, _ = in_project(tmp_path, settings, "diagnose", HOT, "--color", "never")
    assert "\x1b[" not in out


def test_a_condition_for_runs_is_none_for_exams(tmp_path: Path) -> None:
    settings = "[tool.traindx]\nfail-on = ['sick']\n"
    assert in_project(tmp_path, settings, "diagnose", HOT)[0] == 1
    # One that is typed replaces those of the project; it would be met otherwise.
    assert in_project(tmp_path, settings, "diagnose", HOT, "--fail-on", "label-noise")[0] == 0
    code, out, err = in_project(tmp_path, settings, "examine", "data", "table.csv")
    assert (code, err) == (0, ""), out
    for of_exams in ("[tool.traindx.examine]", "[tool.traindx.examine.data]"):
        _, _, err = in_project(
            tmp_path, f"{settings}{of_exams}\nfail-on = 'zzz'\n", "examine", "data", "table.csv"
        )
        assert '"zzz"' in err
        assert in_project(tmp_path, f"{settings}{of_exams}\nfail-on = 'never'\n", "diagnose", HOT)[0] == 1


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("[tool.traindx]\nfail_on = 'sick'", "did you mean fail-on?"),
        ("[tool.traindx]\nhelp = true", "help"),
        ("[tool.traindx.diagnos]\nquiet = true", "did you mean diagnose?"),
        ("[tool.traindx.diagnose]\nquite = true", 'unknown option "quite"; did you mean quiet?'),
        ("[tool.traindx.diagnose]\nzzz = 1", 'unknown option "zzz"; see traindx diagnose --help'),
        ("[tool.traindx.diagnose]\nmax-steps = 1", 'unknown option "max-steps"; '),
        ("[tool.traindx]\ndiagnose = 3", "[tool.traindx.diagnose]: expected a table of options"),
        ("[tool.traindx]\nquiet = 'yes'", '[tool.traindx]: quiet must be true or false, got "yes"'),
        ("[tool.traindx]\njson = true", "json must be one text or number"),
        ("[tool.traindx]\njson = ['a', 'b']", "json must be one text or number"),
        ("[tool.traindx]\ncolor = 'pink'", 'color must be one of auto, always, never, got "pink"'),
        ("[tool.traindx]\n'fail-on' = [true]", "fail-on must be one text or number"),
        ("[tool.traindx]\n'fail-on' = 'lr-to-high'", "did you mean lr-too-high?"),
        ("[tool", "pyproject.toml: "),
    ],
)
def test_settings_that_make_no_sense_are_said_in_one_line(settings: str, says: str, tmp_path: Path) -> None:
    code, out, err = in_project(tmp_path, settings, "diagnose", HOT)
    assert (code, out) == (2, "")
    assert says in err
    assert err.startswith("traindx diagnose: ")
    assert err.count("\n") == 1


def test_a_number_that_an_option_cannot_take_is_said_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("open('ran', 'w')")
    for value in ("'many'", "0"):
        code, _, err = in_project(tmp_path, f"[tool.traindx.run]\nmax-steps = {value}\n", "run", "train.py")
        assert code == 2
        assert f"{tmp_path}/pyproject.toml: [tool.traindx.run]: max-steps: " in err
    assert not (tmp_path / "ran").exists()


def test_settings_of_others_are_left_alone(tmp_path: Path) -> None:
    others = "[tool.ruff]\nquiet = 3\n[tool.traindx.map]\nodd = 'val_score'\n[tool.traindx.limits]\n"
    assert in_project(tmp_path, others, "diagnose", HOT)[0] == 0
