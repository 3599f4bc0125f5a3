"""What a program leaves besides a recording: which files are taken for its logs, and word of its end."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from traindx.recorder.launch import traces
from traindx.recorder.launch.child import Ending
from traindx.recorder.launch.command import Command
from traindx.recorder.launch.traces import OpenFiles, beginning, keep_written, note_outcome, note_program

COMMAND = Command("/bin/train", ("train",))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a run, in the working directory."""
    here = tmp_path / "here"
    made = here / ".traindx" / "runs" / "train-1"
    made.mkdir(parents=True)
    monkeypatch.chdir(here)
    return made


def write(name: str, text: str = "step,loss\n1,2\n", *, age: float = 0.0) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if age:
        then = path.stat().st_mtime - age
        os.utime(path, (then, then))
    return path


def everything() -> set[tuple[int, int]]:
    """Every file below the working directory: the program wrote them all."""
    return {(path.stat().st_dev, path.stat().st_ino) for path in Path().rglob("*")}


def copies(folder: Path) -> list[str]:
    top = folder / "written"
    return sorted(str(path.relative_to(top)) for path in top.rglob("*") if path.is_file())


def test_log_files_that_are_new_or_have_grown_are_copied(folder: Path) -> None:
    write("old.csv", age=60)
    grown = write("grown.jsonl", '{"loss": 2}\n', age=60)
    begun = beginning(folder)
    with grown.open("a") as file:
        file.write('{"loss": 1}\n')
    write("out/version_0/metrics.csv")
    write("runs/events.out.tfevents.1.host")
    write("mlruns/0/abc/metrics/loss", "1 2 3\n")
    write("mlruns/0/abc/metrics/train/loss", "1 2 3\n")
    write("model.pt")
    keep_written(folder, begun, everything())
    expected = ["grown.jsonl", "mlruns/0/abc/metrics/loss", "mlruns/0/abc/metrics/train/loss"]
    expected += ["out/version_0/metrics.csv", "runs/events.out.tfevents.1.host"]
    assert copies(folder) == expected
    assert (folder / "written/grown.jsonl").read_text().count("\n") == 2
    assert {path.stat().st_mode & 0o777 for path in (folder / "written").rglob("*.csv")} == {0o600}


def test_links_are_not_followed(folder: Path, tmp_path: Path) -> None:
    begun = beginning(folder)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.csv").write_text("step,loss\n1,2\n")
    Path("link.csv").symlink_to(outside / "secret.csv")
    Path("folder").symlink_to(outside)
    os.mkfifo("pipe.log")
    keep_written(folder, begun, everything())
    assert copies(folder) == []


def test_neither_our_own_folders_nor_those_of_packages_are_searched(folder: Path) -> None:
    begun = beginning(folder)
    for name in (".traindx/runs/other/report.json", ".venv/a.csv", ".git/a.log", "node_modules/a.json"):
        write(name)
    write("/".join([*"abcdefghi", "deep.csv"]))
    write("empty.csv", "")
    keep_written(folder, begun, everything())
    assert copies(folder) == []


def test_what_our_own_streams_go_to_is_no_log_of_its_own(folder: Path) -> None:
    log = write("train.log")
    kept = os.dup(1)
    try:
        with log.open("a") as file:
            os.dup2(file.fileno(), 1)
            begun = beginning(folder)
    finally:
        os.dup2(kept, 1)
        os.close(kept)
    keep_written(folder, begun, everything())
    assert copies(folder) == []


def test_how_much_is_copied_is_bounded(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = beginning(folder)
    for number in range(4):
        write(f"{number}.csv", "x" * (10 + number))
    monkeypatch.setattr(traces, "_MOST_BYTES", 22)
    keep_written(folder, begun, everything())
    assert copies(folder) == ["0.csv", "1.csv"]
    monkeypatch.setattr(traces, "_MOST_LOOKED_AT", 1)
    write("5.csv")
    keep_written(folder, begun, everything())
    assert copies(folder) == ["0.csv", "1.csv"]


def test_a_log_that_another_program_wrote_meanwhile_is_left_out(folder: Path) -> None:
    begun = beginning(folder)
    own, _ = write("logs/own.csv"), write("logs/other.csv")
    (folder / "processes.jsonl").write_text(json.dumps({"wrote": str(own.absolute())}) + "\n")
    keep_written(folder, begun, OpenFiles().of(folder))
    assert copies(folder) == ["logs/own.csv"]


@pytest.mark.skipif(not Path("/proc/self/fdinfo").exists(), reason="Linux shows which files are open")
def test_a_file_that_a_process_holds_open_for_writing_is_its_own(folder: Path) -> None:
    begun = beginning(folder)
    own, read, _ = write("own.log"), write("read.log"), write("other.log")
    words = ["sh", "-c", f"read line; exec 3>>{own} 4<{read}; echo 1,2 >&3; echo begun; cat"]
    seconds = iter((0.0, 0.0, 0.5, 2.0))
    files = OpenFiles(lambda: next(seconds))
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdin is not None
        files.look(program.pid)
        program.stdin.write("begin\n")
        program.stdin.flush()
        program.stdout.readline()
        files.look(program.pid)
        assert files.of(folder) == set()
        files.look(program.pid)
        program.stdin.close()
    keep_written(folder, begun, files.of(folder))
    assert copies(folder) == ["own.log"]


def test_how_it_ended_is_stated(folder: Path) -> None:
    note_program(folder, COMMAND)
    assert json.loads((folder / "program.json").read_text()) == {"script": "train"}
    words = [{"imported": "numpy jax"}, {"died": "KeyError: 'x'", "where": str(Path.cwd() / "a.py:3")}]
    (folder / "processes.jsonl").write_text("".join(json.dumps(word) + "\n" for word in words))
    note_outcome(folder, COMMAND, Ending(1))
    stated = json.loads((folder / "program.json").read_text())
    assert stated == {
        "script": "train",
        "exit_code": 1,
        "framework": "jax",
        "interrupted": "",
        "died": "KeyError: 'x'",
        "where": "a.py:3",
    }
    note_outcome(folder, COMMAND, Ending(-signal.SIGKILL))
    stated = json.loads((folder / "program.json").read_text())
    assert stated["interrupted"] == "the program was killed by SIGKILL"
