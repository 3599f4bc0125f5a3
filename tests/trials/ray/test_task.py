"""What a node does for an arm, without a cluster around it."""

import json
import sys
from pathlib import Path

import pytest

from tests.test_startup import loaded_by
from traindx.recorder.launch.command import Command
from traindx.trials.program import OUTPUT, ArmSpec
from traindx.trials.ray.task import SHARED, Begun, Returned, Sent, packed, ran, unpacked

HERE = Begun("node", "host", 1)
PROGRAM = """\
import json, os, sys
print(json.dumps([os.getcwd(), open("notes.txt").read(), sys.argv, dict(os.environ)]))
open("made.txt", "w").write("by the program")
"""


def project(here: Path) -> Path:
    here.mkdir()
    (here / "train.py").write_text(PROGRAM)
    (here / "notes.txt").write_text("as it is")
    return here


def order(origin: Path, folder: Path, *words: str, program: str = sys.executable, **more: object) -> ArmSpec:
    command = Command(program, ("python", *words))
    return ArmSpec(command, folder, origin, **more)  # type: ignore[arg-type]  # as the test asks


def sent(origin: Path, *, small: bool = True, **carried: str) -> Sent:
    files = packed((path, path.name) for path in origin.iterdir()) if small else None
    return Sent(origin, files, "a word", carried)


def printed(returned: Returned, into: Path) -> tuple[str, str, list[str], dict[str, str]]:
    unpacked(returned.files, into)
    output, notes, words, environment = json.loads((into / OUTPUT).read_text())
    return output, notes, words, environment


def node_folder(tmp_path: Path) -> Path:
    home = tmp_path / "node"
    home.mkdir()
    return home


def test_the_program_runs_in_a_copy_and_its_folder_comes_back(tmp_path: Path) -> None:
    origin, home = project(tmp_path / "project"), node_folder(tmp_path)
    asked = order(
        origin,
        tmp_path / "arm",
        str(origin / "train.py"),
        "/elsewhere",
        threads=3,
        replaced=(("notes.txt", b"patched"),),
    )
    returned = ran(asked, sent(origin), HERE, home)
    output, notes, words, environment = printed(returned, tmp_path / "back")
    assert (returned.code, returned.place, returned.refused) == (0, output, "")
    assert notes == "patched"
    # Its paths below the working directory are those of the copy, others are left.
    assert words == [f"{output}/train.py", "/elsewhere"]
    assert environment["OMP_NUM_THREADS"] == "3"
    assert not (origin / "made.txt").exists()
    assert (origin / "notes.txt").read_text() == "as it is"


def test_the_program_sees_the_node_without_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    origin, home = project(tmp_path / "project"), node_folder(tmp_path)
    (origin / "lib").mkdir()
    monkeypatch.setenv("RAY_AUTH_TOKEN", "secret")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.setenv("OF_THE_NODE", "kept")
    variables = {"PYTHONPATH": f"{origin}:relative", "KERAS_BACKEND": "torch"}
    small = Sent(
        origin,
        packed([(origin / "train.py", "train.py"), (origin / "notes.txt", "notes.txt")]),
        "",
        variables,
    )
    returned = ran(order(origin, tmp_path / "arm", "train.py", threads=1), small, HERE, home)
    output, _, _, environment = printed(returned, tmp_path / "back")
    assert not [name for name in environment if name.startswith("RAY_")]
    assert environment["OMP_NUM_THREADS"] == "1"
    assert environment["OF_THE_NODE"] == "kept"
    assert environment["KERAS_BACKEND"] == "torch"
    assert environment["PYTHONPATH"].split(":")[1:] == [output, "relative"]


def test_a_python_that_the_node_has_not_is_that_of_ray(tmp_path: Path) -> None:
    origin, home = project(tmp_path / "project"), node_folder(tmp_path)
    asked = order(origin, tmp_path / "arm", "train.py", program="/not/here/bin/python3.99")
    assert ran(asked, sent(origin), HERE, home).code == 0


def test_a_large_directory_is_used_as_it_is_where_the_node_sees_it(tmp_path: Path) -> None:
    origin, home, folder = project(tmp_path / "project"), node_folder(tmp_path), tmp_path / "arm"
    asked = order(origin, folder, "train.py")
    refused = ran(asked, sent(origin, small=False), HERE, home)
    assert refused.refused.startswith(f"host: the working directory {origin} is too large to send")
    assert not (origin / "made.txt").exists()
    folder.mkdir()
    (folder / SHARED).write_text("a word")
    (home / "again").mkdir()
    returned = ran(asked, sent(origin, small=False), HERE, home / "again")
    assert (returned.code, returned.place) == (0, str(origin))
    assert (origin / "made.txt").exists()


def test_a_node_needs_nothing_of_what_the_command_line_needs() -> None:
    loaded = loaded_by("import traindx.trials.ray.task")
    assert loaded.isdisjoint({"numpy", "msgspec", "rich", "yaml", "torch", "ray"})


def test_weights_come_back(tmp_path: Path) -> None:
    origin, home = project(tmp_path / "project"), node_folder(tmp_path)
    (origin / "train.py").write_text(
        "import json, os\nopen(json.loads(os.environ['TRAINDX_TRIAL'])['saves'], 'w').write('weights')\n"
    )
    asked = order(origin, tmp_path / "arm", "train.py", saves=tmp_path / "model.pt")
    assert ran(asked, sent(origin), HERE, home).weights == b"weights"


def test_a_program_is_ended_when_its_time_is_over(tmp_path: Path) -> None:
    origin, home = project(tmp_path / "project"), node_folder(tmp_path)
    (origin / "train.py").write_text("import time; time.sleep(600)")
    returned = ran(order(origin, tmp_path / "arm", "train.py", seconds=0.5), sent(origin), HERE, home)
    assert returned.code is None
