"""`traindx run` as a user calls it, on programs that train with a stand-in for torch."""

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recorder.launch.stand_in import TRAINING, StandIn

PRINTS = "import sys\nprint('to stdout', end='')\nprint('to stderr', file=sys.stderr)\n"
DIVERGES = """
import torch
for step in range(80):
    torch.backward(2 / (step + 1) if step < 20 else 1.5 ** (step - 20))
"""
SAYS_SETTINGS = "import os\nprint(os.environ['TRAINDX_RECORD'])\n"


@pytest.fixture
def place(tmp_path: Path) -> StandIn:
    location = StandIn(tmp_path)
    location.write("train.py", PRINTS + TRAINING)
    return location


def test_the_program_prints_what_it_prints_alone_and_the_report_follows(place: StandIn) -> None:
    done = place.run("train.py")
    assert done.stdout == "to stdout"
    assert done.stderr.startswith("to stderr\n")
    assert "HEALTHY" in done.stderr
    assert "\x1b" not in done.stderr
    assert done.stderr.splitlines()[-1].split()[:2] == ["report", ".traindx/runs/train-1/report.html"]
    assert done.returncode == 0


def test_recording_and_reports_are_in_the_folder_of_the_run(place: StandIn) -> None:
    place.run("train.py")
    place.run("train.py")
    files = ("console.txt", "processes.jsonl", "program.json", "rank-0.traindx", "report.html", "report.json")
    runs = [f".traindx/runs/train-{number}/{file}" for number in (1, 2) for file in files]
    assert place.files() == [".traindx/.gitignore", *runs, "train.py"]
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


@pytest.mark.parametrize(("option", "opening"), [("--json", "{"), ("--md", "**traindx**")])
def test_a_document_has_standard_output_for_itself(place: StandIn, option: str, opening: str) -> None:
    done = place.run(option, "-", "train.py")
    assert done.stdout.startswith(opening)
    assert "to stdout" not in done.stdout
    assert "to stdout" in done.stderr
    assert "HEALTHY" not in done.stderr
    if option == "--md":
        assert "HEALTHY" in done.stdout
    else:
        assert json.loads(done.stdout)["runs"][0]["verdict"] == "healthy"


def test_outputs_that_were_asked_for_are_written_and_named(place: StandIn) -> None:
    done = place.run("--html", "own.html", "--md", "own.md", "--json", "own.json", "train.py")
    assert {"own.html", "own.md", "own.json"} <= set(place.files())
    assert [line.split()[1] for line in done.stderr.splitlines()[-3:]] == ["own.html", "own.md", "own.json"]
    assert ".traindx/runs/train-1/report.html" in place.files()
    assert done.stdout == "to stdout"


def test_a_condition_that_is_met_gives_exit_code_1(place: StandIn) -> None:
    place.write("diverges.py", DIVERGES + "raise SystemExit(7)\n")
    met = place.run("--fail-on", "sick", "diverges.py")
    assert met.returncode == 1
    assert "--fail-on sick is met by diverges-1" in met.stderr
    assert place.run("--fail-on", "inconclusive", "diverges.py").returncode == 7


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


def test_a_fault_in_one_process_is_said_beside_the_report(place: StandIn) -> None:
    place.write("one.py", "import os\nos.environ['FAIL_TO_ATTACH'] = '1'\nimport torch\n")
    place.write("both.sh", f"'{sys.executable}' one.py\n'{sys.executable}' train.py\n")
    done = place.run("sh", "both.sh")
    assert "HEALTHY" in done.stderr
    said = " ".join(done.stderr.split())
    assert "both.sh: the recorder failed (LookupError: nothing to hold on to at " in said


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
    assert ".traindx/runs/fails-1/report.html" in place.files()


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
