"""`traindx run` as a user calls it, on programs that train with a stand-in for torch."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recorder.launch.stand_in import TRAINING, StandIn
from traindx.cli import main

PRINTS = "import sys\nprint('to stdout', end='')\nprint('to stderr', file=sys.stderr)\n"
DIVERGES = """
import torch
for step in range(80):
    torch.backward(2 / (step + 1) if step < 20 else 1.5 ** (step - 20))
"""
SAYS_SETTINGS = "import os\nprint(os.environ['TRAINDX_RECORD'])\n"


@pytest.fixture
def place(tmp_path: Path) -> StandIn:
    place = StandIn(tmp_path)
    place.write("train.py", PRINTS + TRAINING)
    return place


def kept(place: StandIn) -> list[str]:
    return sorted(str(path.relative_to(place.here)) for path in place.here.rglob("*") if path.is_file())


def test_the_program_prints_what_it_prints_alone_and_the_report_follows(place: StandIn) -> None:
    done = place.run("train.py")
    assert done.stdout == "to stdout"
    assert done.stderr.startswith("to stderr\n")
    assert "HEALTHY" in done.stderr
    assert "\x1b" not in done.stderr
    assert done.stderr.splitlines()[-1] == "report   .traindx/runs/train-1/report.html"
    assert done.returncode == 0


def test_recording_and_reports_are_in_the_folder_of_the_run(place: StandIn) -> None:
    place.run("train.py")
    place.run("train.py")
    files = ("processes.jsonl", "rank-0.traindx", "report.html", "report.json")
    runs = [f".traindx/runs/train-{number}/{file}" for number in (1, 2) for file in files]
    assert kept(place) == [".traindx/.gitignore", *runs, "train.py"]
    assert place.report("train-2") == [("train-2", "healthy")]


def test_the_exit_code_is_the_programs(place: StandIn) -> None:
    place.write("fails.py", TRAINING + "raise SystemExit(7)\n")
    done = place.run("fails.py")
    assert done.returncode == 7
    assert "HEALTHY" in done.stderr


def test_a_program_that_crashes_is_diagnosed(place: StandIn) -> None:
    script = place.write("crashes.py", TRAINING + "torch.backward(None)\n")
    alone = place.alone([sys.executable, script])
    done = place.run("--", sys.executable, script)
    assert done.returncode == alone.returncode == 1
    assert done.stderr.startswith(alone.stderr)
    assert "HEALTHY" in done.stderr


@pytest.mark.parametrize(("option", "opening"), [("--json", "{"), ("--md", "#")])
def test_a_document_has_standard_output_for_itself(place: StandIn, option: str, opening: str) -> None:
    done = place.run(option, "-", "train.py")
    assert done.stdout.startswith(opening)
    assert "to stdout" not in done.stdout
    assert "to stdout" in done.stderr
    assert "HEALTHY" not in done.stderr
    if option == "--json":
        assert json.loads(done.stdout)["runs"][0]["verdict"] == "healthy"


def test_outputs_that_were_asked_for_are_written_and_named(place: StandIn) -> None:
    done = place.run("--html", "own.html", "--md", "own.md", "--json", "own.json", "train.py")
    assert {"own.html", "own.md", "own.json"} <= set(kept(place))
    assert [line.split()[-1] for line in done.stderr.splitlines()[-4:]] == [
        "own.html",
        "own.md",
        "own.json",
        ".traindx/runs/train-1/report.html",
    ]
    assert done.stdout == "to stdout"


def test_a_condition_that_is_met_gives_exit_code_1(place: StandIn) -> None:
    place.write("diverges.py", DIVERGES + "raise SystemExit(7)\n")
    met = place.run("--fail-on", "sick", "diverges.py")
    assert met.returncode == 1
    assert "--fail-on sick is met by diverges-1" in met.stderr
    assert place.run("--fail-on", "inconclusive", "diverges.py").returncode == 7


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--fail-on", "lr-to-high"], "did you mean lr-too-high?"),
        (["--limit", "nonsense"], "--limit: expected CHECK.NAME=VALUE"),
        (["--json", "-", "--md", "-"], "two reports go to standard output"),
        (["--html", "no/such/place.html"], "no/such/place.html: cannot be written"),
        (["--png", "curve.png"], "--png curve.png: writes several pictures"),
        (
            ["--out", "train.py/runs"],
            "train.py: cannot be written (File exists); choose another --out",
        ),
        (["--name", "a/b"], '--name "a/b" is not a folder name'),
        (["--budget", "0"], 'argument --budget: "0" is no percentage above 0; for example --budget 2'),
        (["--budget", "500"], '"500" is more than all of its time; for example --budget 2'),
        (["--budget", "much"], 'argument --budget: "much" is no percentage above 0'),
        (["--every", "0"], 'argument --every: "0" is no number of steps; for example --every 100'),
        (["--every", "-3"], 'argument --every: "-3" is no number of steps'),
        (
            ["--max-steps", "0"],
            'argument --max-steps: "0" is no number of steps; for example --max-steps 200',
        ),
        (["--max-steps", "-3"], 'argument --max-steps: "-3" is no number of steps'),
        (["--max-steps", "all"], 'argument --max-steps: "all" is no number of steps'),
        (["--evry", "1"], "unrecognized arguments: --evry"),
    ],
)
def test_what_is_wrong_is_said_before_the_program_starts(
    place: StandIn, options: list[str], says: str
) -> None:
    done = place.run(*options, "train.py")
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""
    assert kept(place) == ["train.py"]


def test_settings_reach_the_recorder(place: StandIn) -> None:
    place.write("settings.py", SAYS_SETTINGS)
    usual = json.loads(place.run("settings.py").stdout)
    assert usual == {
        "folder": str(place.here / ".traindx/runs/settings-1"),
        "budget": 0.02,
        "every": None,
        "most_steps": None,
        "package": str(place.folder / "ours"),
    }
    options = "--budget 0.5% --every 7 --max-steps 9 --out o --name n".split()
    asked = json.loads(place.run(*options, "settings.py").stdout)
    changed = {"budget": 0.005, "every": 7, "most_steps": 9, "folder": str(place.here / "o/n")}
    assert asked == {**usual, **changed}


def test_words_after_the_first_are_the_programs(place: StandIn) -> None:
    place.write("words.py", "import sys\nprint(sys.argv[1:])\n")
    words = ["--json", "x", "--help", "--", "-m", "--name"]
    for command in (
        ["words.py"],
        ["-m", "words"],
        [sys.executable, "words.py"],
        ["--", sys.executable, "words.py"],
    ):
        assert place.run(*command, *words).stdout == f"{words}\n"


@pytest.mark.parametrize("name", ["my train.py", "tränen/läuft.py", "-dash.py", "quote'\".py"])
def test_odd_names_of_scripts(place: StandIn, name: str) -> None:
    place.write(name, PRINTS + TRAINING)
    done = place.run("--", sys.executable, f"./{name}")
    assert done.stdout == "to stdout"
    assert "HEALTHY" in done.stderr


def test_other_ways_to_start_a_python(place: StandIn) -> None:
    place.write("go.sh", f"#!/bin/sh\ncd /\n'{sys.executable}' '{place.here}/train.py' | tr a-z A-Z\n")
    os.chmod(place.here / "go.sh", 0o755)
    for words in (["-m", "train"], ["./go.sh"], [sys.executable, "-c", "import train"], ["sh", "go.sh"]):
        done = place.run(*words)
        assert done.stdout.lower() == "to stdout"
        assert "HEALTHY" in done.stderr
        assert done.returncode == 0
    runs = sorted(path.name for path in (place.here / ".traindx/runs").iterdir())
    assert len(runs) == 4


def test_a_run_within_a_run_is_its_own(place: StandIn) -> None:
    inner = shlex.join(place.command("--name", "inner", "train.py"))
    place.write("nested.sh", f"{inner}\n'{sys.executable}' train.py\n")
    done = place.run("--name", "outer", "sh", "nested.sh")
    assert done.stdout == "to stdout" * 2
    assert done.stderr.count("HEALTHY") == 2
    assert place.report("inner") == [("inner", "healthy")]
    assert place.report("outer") == [("outer", "healthy")]
    assert len(list((place.here / ".traindx/runs/outer").glob("*.traindx"))) == 1


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("print('x')", "the program never imported torch"),
        ("import torch", "torch was imported, but no backward pass ran"),
        ("import os\nos.environ['FAIL_TO_ATTACH'] = '1'\nimport torch", "LookupError: nothing to hold on to"),
    ],
)
def test_where_nothing_was_recorded_one_sentence_says_why(place: StandIn, script: str, says: str) -> None:
    name = place.write("idle.py", f"{script}\nraise SystemExit(4)\n")
    done = place.run(name)
    assert done.returncode == 4
    assert done.stderr.startswith("\ntraindx run: idle.py: nothing recorded: ")
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not list((place.here / ".traindx/runs").iterdir())


@pytest.mark.parametrize("script", ["print('x')", "import torch"])
def test_a_condition_does_not_hold_where_nothing_could_be_judged(place: StandIn, script: str) -> None:
    name = place.write("idle.py", script)
    assert place.run(name).returncode == 0
    done = place.run("--fail-on", "sick", name)
    assert done.returncode == 2
    assert done.stderr.endswith("traindx run: no run was judged; --fail-on sick cannot judge it\n")
    failing = place.write("failing.py", f"{script}\nraise SystemExit(4)\n")
    assert place.run("--fail-on", "sick", failing).returncode == 4


def test_a_fault_in_one_process_is_said_beside_the_report(place: StandIn) -> None:
    place.write("one.py", "import os\nos.environ['FAIL_TO_ATTACH'] = '1'\nimport torch\n")
    place.write("both.sh", f"'{sys.executable}' one.py\n'{sys.executable}' train.py\n")
    done = place.run("sh", "both.sh")
    assert "HEALTHY" in done.stderr
    said = " ".join(done.stderr.split())
    assert "both.sh: the recorder failed (LookupError: nothing to hold on to at " in said


def test_programs_get_a_document_also_where_nothing_was_recorded(place: StandIn) -> None:
    place.write("idle.py", "print('x')")
    document = json.loads(place.run("--json", "-", "idle.py").stdout)
    assert document["runs"] == []
    assert "never imported torch" in str(document["problems"])


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("no-interpreter", "#!/no/such/shell\n", "cannot start (No such file or directory)"),
        ("no-program", "echo x\n", "cannot start (Exec format error)"),
    ],
)
def test_a_program_that_cannot_be_started(place: StandIn, name: str, text: str, says: str) -> None:
    place.write(name, text)
    os.chmod(place.here / name, 0o755)
    done = place.run("--", f"./{name}")
    assert done.returncode == 2
    assert says in done.stderr
    assert not list((place.here / ".traindx/runs").iterdir())


@pytest.mark.parametrize(
    ("gone", "script", "code"), [("out", TRAINING, 7), ("err", TRAINING, 7), ("err", DIVERGES, 1)]
)
def test_a_reader_that_goes_away_changes_no_exit_code(
    place: StandIn, gone: str, script: str, code: int
) -> None:
    place.write("fails.py", script + "raise SystemExit(7)\n")
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as nowhere:
        done = subprocess.run(
            place.command("--fail-on", "sick", "--json", "-", "fails.py"),
            cwd=place.here,
            env=place.environment,
            stdout=nowhere if gone == "out" else subprocess.DEVNULL,
            stderr=nowhere if gone == "err" else subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
    assert done.returncode == code
    assert ".traindx/runs/fails-1/report.html" in kept(place)


def test_a_document_is_whole_though_nobody_reads_the_rest(place: StandIn) -> None:
    command = shlex.join(place.command("--json", "-", "train.py"))
    done = place.alone(["sh", "-c", f"{command} 2>&-"])
    assert json.loads(done.stdout)["runs"][0]["verdict"] == "healthy"


def test_files_that_were_passed_to_us_are_passed_to_the_program(place: StandIn) -> None:
    place.write("number.py", "import os, sys\nprint(os.read(int(sys.argv[1]), 9))\n")
    reader, writer = os.pipe()
    os.write(writer, b"passed")
    done = subprocess.run(
        place.command("number.py", str(reader)),
        cwd=place.here,
        env=place.environment,
        pass_fds=[reader],
        capture_output=True,
        timeout=60,
        check=False,
    )
    os.close(reader)
    os.close(writer)
    assert done.stdout == b"b'passed'\n"


def test_a_fault_of_ours_in_the_report_does_not_hide_how_the_program_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("traindx.recorder.launch.outcome.silence", lambda _: 1 / 0)
    assert main(["run", "--", "sh", "-c", "exit 9"]) == 9
    said = capfd.readouterr().err
    assert "the report failed (ZeroDivisionError: division by zero)" in said


def test_no_command_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    for argv in (["run"], ["run", "--"], ["run", "-m"]):
        assert main(argv) == 2
        assert "no command; expected a script (train.py), -m MODULE or -- CMD" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["treat", "preflight", "lr-find", "examine gradients"])
def test_no_other_command_than_the_one_that_was_typed_is_named(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("adir").mkdir()
    for words in (["--"], ["--", "adir"]):
        assert main([*command.split(), *words]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"traindx {command.split()[0]}: ")
        assert "traindx run" not in said


@pytest.mark.parametrize("command", ["diagnose log.csv", "run", "examine data", "skill show"])
def test_an_unknown_option_leads_to_the_help_of_its_command(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*command.split(), "--nonsense"])
    assert ended.value.code == 2
    name = command.removesuffix(" log.csv")
    says = f"traindx {name}: unrecognized arguments: --nonsense; see traindx {name} --help\n"
    assert capsys.readouterr().err == says


def test_help_says_where_the_output_goes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    shown = capsys.readouterr().out
    assert "With --json - or\n--md - the report goes to standard output" in shown
    assert max(map(len, shown.splitlines())) <= 110
