"""What a program finds around it is the same with and without recording, and torch is as it was."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recorder.launch.stand_in import TRAINING, StandIn

ABOUT = """
import json, os, sys
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status") if ":\\t" in line)
about = {
    "argv": sys.argv, "orig_argv": sys.orig_argv, "main": __name__, "file": __file__, "cwd": os.getcwd(),
    "path": sys.path, "importers": sorted(sys.path_importer_cache), "modules": sorted(sys.modules),
    "flags": str(sys.flags), "prefix": sys.prefix, "hook": sys.excepthook is sys.__excepthook__,
    "blocked": status["SigBlk"], "caught": status["SigCgt"],
    # Signals 32 and 33 are the C library's own.
    "ignored": int(status["SigIgn"], 16) & ~(3 << 31),
    "files": sorted(os.listdir("/proc/self/fd")), "group": os.getpgrp() == os.getpgid(os.getppid()),
    "session": os.getsid(0), "mask": os.umask(0),
    "environment": {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TRAINDX_RECORD")},
}
print(json.dumps(about))
"""
USERS = """
import sys
print("users sitecustomize", __name__, __file__.endswith("users/sitecustomize.py"), __spec__.name)
sys.users_own = True
"""
CHECK = """
import sys
module = sys.modules.get("sitecustomize")
print(module is not None, getattr(module, "__file__", None), getattr(sys, "users_own", None))
"""
needs_proc = pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="asks the system of Linux")


@needs_proc
def test_a_program_sees_what_it_sees_alone(place: StandIn) -> None:
    script = place.write("about me.py", ABOUT)
    alone = json.loads(place.alone([sys.executable, script, "a", "--b", "--", "c d"]).stdout)
    command = place.command("--", sys.executable, script, "a", "--b", "--", "c d")
    recorded = json.loads(place.alone(command).stdout)
    assert recorded == alone


@needs_proc
def test_where_signals_are_ignored_they_stay_ignored(place: StandIn) -> None:
    place.write("about.py", ABOUT)
    words = ["nohup", sys.executable, "about.py"]
    alone = json.loads(place.alone(words).stdout)
    recorded = json.loads(place.alone(["nohup", *place.command("--", *words[1:])]).stdout)
    assert recorded["ignored"] == alone["ignored"]


@pytest.mark.parametrize(
    "text", [USERS, USERS + "raise ValueError('users own')", "import no_such_module", None]
)
def test_the_users_sitecustomize_runs_as_without_us(place: StandIn, text: str | None) -> None:
    users = place.folder / "users"
    users.mkdir()
    if text is not None:
        (users / "sitecustomize.py").write_text(text)
    place.write("check.py", CHECK)
    environment = {"PYTHONPATH": f"{users}{os.pathsep}{place.packages}"}
    alone = place.alone([sys.executable, "check.py"], environment=environment)
    recorded = place.run("--", sys.executable, "check.py", environment=environment)
    assert recorded.stdout == alone.stdout
    assert recorded.stderr.startswith(alone.stderr)
    assert alone.stdout.endswith(("True\n", "None\n"))


LOADERS = """
import importlib, importlib.util, inspect, pkgutil, sys
import torch
loader = torch.__spec__.loader
print(type(loader), sorted(vars(loader)), torch.__loader__ is loader)
print(inspect.getsource(torch)[:30], pkgutil.get_data("torch", "__init__.py")[:20])
print(importlib.reload(torch) is torch, importlib.util.find_spec("torch").origin)
print(type(importlib.util.find_spec("keras").loader))
"""


def test_torch_is_loaded_by_its_own_loader(place: StandIn) -> None:
    script = place.write("loaders.py", LOADERS)
    alone = place.alone([sys.executable, script])
    recorded = place.run("--", sys.executable, script)
    assert recorded.stdout == alone.stdout
    assert alone.returncode == 0


BROKEN = """
import sys
sys.path.insert(0, "broken")
for attempt in range(2):
    try:
        import torch
    except Exception as error:
        import traceback
        traceback.print_exc(file=sys.stdout)
        sys.path.pop(0)
print(torch.__version__)
import nothing_like_it
"""


@pytest.mark.parametrize("error", ["ImportError('libcudart')", "OSError('libcudart')"])
def test_a_torch_that_cannot_be_imported_fails_as_without_us(place: StandIn, error: str) -> None:
    place.write("broken/torch/__init__.py", f"def load():\n    raise {error}\nload()\n")
    script = place.write("retry.py", BROKEN)
    alone = place.alone([sys.executable, script])
    recorded = place.run("--", sys.executable, script)
    assert recorded.stdout == alone.stdout
    assert recorded.returncode == alone.returncode == 1
    assert alone.stderr in recorded.stderr
    assert "CRASHED" in recorded.stderr


COPIES = """
import importlib.util, sys
class Old:
    def find_module(self, name, path=None):
        return None
sys.meta_path.insert(0, Old())
sys.meta_path.insert(2, Old())
spec = importlib.util.find_spec("torch")
copy = importlib.util.module_from_spec(spec)
spec.loader.exec_module(copy)
print("torch" in sys.modules)
exec(open("train.py").read())
"""


def test_a_copy_of_torch_is_not_taken_for_it(place: StandIn) -> None:
    place.write("train.py", TRAINING)
    script = place.write("copies.py", COPIES)
    done = place.run("--", sys.executable, "-W", "ignore", script)
    assert done.stdout == "False\n"
    assert "HEALTHY" in done.stderr


def test_ours_is_found_and_nothing_beside_it(place: StandIn) -> None:
    (place.folder / "ours" / "beside_it.py").write_text("")
    other = place.packages / "traindx"
    other.mkdir()
    (other / "__init__.py").write_text("raise RuntimeError('another traindx')")
    script = place.write(
        "find.py",
        "import traindx, torch, importlib.util\n"
        "print(traindx.__file__)\n"
        "print(importlib.util.find_spec('beside_it'), importlib.util.find_spec('rich') is None)\n",
    )
    done = place.run("--", sys.executable, script)
    ours, rest = done.stdout.splitlines()
    assert Path(ours) == place.folder / "ours" / "traindx" / "__init__.py"
    assert rest.startswith("None")


def test_nothing_is_imported_where_torch_is_not(place: StandIn) -> None:
    script = place.write("quiet.py", "import sys\nprint([m for m in sys.modules if 'traindx' in m])\n")
    assert place.run("--", sys.executable, script).stdout == "[]\n"


def test_keras_is_told_once_it_is_whole(place: StandIn) -> None:
    script = place.write("keras_user.py", "import keras\nprint(keras.seen)\n")
    assert place.run("--", sys.executable, script).stdout == "True\n"


@pytest.mark.parametrize(
    "start",
    [
        "import subprocess, sys; subprocess.run([sys.executable, 'train.py'], check=True)",
        "import os, sys; os.execv(sys.executable, [sys.executable, 'train.py'])",
        "import os\nif os.fork() == 0:\n    import runpy; runpy.run_path('train.py')\nelse:\n    os.wait()",
        "import threading, runpy\nthread = threading.Thread(target=runpy.run_path, args=['train.py'])\n"
        "thread.start()\nthread.join()",
    ],
)
def test_processes_that_the_program_starts_are_recorded(place: StandIn, start: str) -> None:
    place.write("train.py", TRAINING)
    script = place.write("start.py", start)
    done = place.run("--", sys.executable, script)
    assert "HEALTHY" in done.stderr
    assert done.returncode == 0


def test_spawned_processes_are_recorded(place: StandIn) -> None:
    place.write("train.py", TRAINING)
    script = place.write(
        "spawn.py",
        "import multiprocessing, runpy\n"
        "if __name__ == '__main__':\n"
        "    context = multiprocessing.get_context('spawn')\n"
        "    process = context.Process(target=runpy.run_path, args=['train.py'])\n"
        "    process.start(); process.join(); print(process.exitcode)\n",
    )
    done = place.run("--", sys.executable, script)
    assert done.stdout == "0\n"
    assert "HEALTHY" in done.stderr


def test_torch_imported_before_us_is_recorded_too(place: StandIn) -> None:
    place.write("train.py", TRAINING)
    users = place.folder / "users"
    users.mkdir()
    (users / "sitecustomize.py").write_text("import torch")
    environment = {"PYTHONPATH": f"{users}{os.pathsep}{place.packages}"}
    assert "HEALTHY" in place.run("train.py", environment=environment).stderr


def test_a_folder_called_torch_is_no_torch(place: StandIn) -> None:
    (place.packages / "torch" / "__init__.py").unlink()
    script = place.write("empty.py", "import torch\nprint(torch.__path__ is not None)\n")
    done = place.run("--", sys.executable, script)
    assert done.stdout == "True\n"
    assert done.returncode == 0


def old_pythons() -> list[str]:
    versions = Path.home() / ".pyenv" / "versions"
    paths = [str(path) for path in versions.glob("*/bin/python") if _is_old(path)]
    return sorted(paths)


def _is_old(path: Path) -> bool:
    major, minor = path.parts[-3].split(".")[:2]
    return (int(major), int(minor)) < (3, 11)


@pytest.mark.parametrize("python", old_pythons() or ["none"])
def test_old_pythons_run_unrecorded_and_that_is_said(place: StandIn, python: str) -> None:
    if python == "none":
        pytest.skip("no older Python is installed")
    script = place.write(
        "old.py", "import sys\nsys.stdout.write('%s %d' % ('sitecustomize' in sys.modules, len(sys.path)))\n"
    )
    alone = place.alone([python, script])
    recorded = place.run("--", python, script)
    assert recorded.stdout == alone.stdout
    version = subprocess.run(
        [python, "-c", "import sys; print(sys.version.split()[0])"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f" in Python {version.stdout.strip()} " in " ".join(recorded.stderr.split())
    assert recorded.returncode == 0


@pytest.mark.parametrize("flag", ["-I", "-E", "-S"])
def test_a_python_that_takes_no_hints_is_not_recorded_and_that_is_said(place: StandIn, flag: str) -> None:
    place.write("torch.py", "")
    done = place.run("--", sys.executable, flag, "-c", "print('ran')")
    assert done.stdout == "ran\n"
    assert "-I/-E/-S" in done.stderr
    assert done.returncode == 0
