"""A torch that only counts backward passes, and a recorder for it: launching is tested without the real."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import traindx
from tests.cli.calling import call
from traindx.recorder.launch import command as launch_command

TORCH = '''
"""Stands in for torch."""
__version__ = "2.0"

def backward(loss):
    if loss is None:
        raise ValueError("no loss")
'''

ATTACHMENT = '''
"""Stands in for the recorder: a file with one number for each backward pass."""
import atexit, json, os
from pathlib import Path
from traindx.recorder.recording_writer import RecordingWriter

def attach_from_environment(began):
    import torch
    if os.environ.get("FAIL_TO_ATTACH"):
        raise LookupError("nothing to hold on to")
    writer, plain = RecordingWriter(), torch.backward
    folder = json.loads(os.environ["TRAINDX_RECORD"])["folder"]
    losses = []

    def backward(loss):
        plain(loss)
        if not writer.is_open:
            writer.open(Path(folder) / "rank-0.traindx", {"pid": os.getpid()})
            writer.begin(1, "model", [])
        losses.append(loss)
        layout = writer.layout((writer.column(1, "train_loss"),))
        writer.rows_of(layout).extend((len(losses), loss))
        writer.flush()

    torch.backward = backward
    atexit.register(writer.close)

def keras_imported():
    import keras
    keras.seen = True
'''

TRAINING = """
import torch
for step in range(60):
    torch.backward(2 / (step + 1) + 0.1)
"""

_CALL = "import sys; sys.path.insert(0, {folder!r}); from traindx.cli import main; sys.exit(main())"


class StandIn:
    """A place with a stand-in for torch, and a traindx whose recorder knows it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.packages = folder / "packages"
        (self.packages / "torch").mkdir(parents=True)
        (self.packages / "torch" / "__init__.py").write_text(TORCH)
        (self.packages / "keras.py").write_text("import torch\n")
        self.here = folder / "here"
        self.here.mkdir()
        own = folder / "ours" / "traindx"
        own.mkdir(parents=True)
        package = Path(traindx.__file__).parent
        (own / "recorder" / "hooks").mkdir(parents=True)
        folders = (package, package / "recorder", package / "recorder" / "hooks")
        for part in (part for folder in folders for part in folder.iterdir()):
            if part.name not in ("recorder", "hooks", "attachment.py", "__pycache__"):
                (own / part.relative_to(package)).symlink_to(part)
        (own / "recorder" / "hooks" / "attachment.py").write_text(ATTACHMENT)

    @property
    def environment(self) -> dict[str, str]:
        """The user's environment: torch is installed, traindx is not active in it."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TRAINDX")}
        path = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"
        return {**kept, "PYTHONPATH": str(self.packages), "PATH": path}

    def write(self, name: str, text: str) -> str:
        """Put a file into the working directory."""
        path = self.here / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return name

    def command(self, *words: str) -> list[str]:
        """`traindx run WORDS` as it is started in a process of its own."""
        return [sys.executable, "-I", "-c", _CALL.format(folder=str(self.folder / "ours")), "run", *words]

    def run(
        self, *words: str, text: str = "", environment: dict[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """What `traindx run WORDS` does; called in this process."""
        package = self.folder / "ours" / "traindx"
        injected = package / "recorder" / "launch" / "injected"
        with patch.multiple(launch_command, _PACKAGE=str(package), _INJECTED=str(injected)):
            return call(["run", *words], self.here, {**self.environment, **(environment or {})}, text)

    def alone(
        self, command: Sequence[str], *, text: str = "", environment: dict[str, str] | None = None
    ) -> "subprocess.CompletedProcess[str]":
        """What a command does by itself."""
        return subprocess.run(
            list(command),
            cwd=self.here,
            env={**self.environment, **(environment or {})},
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def files(self) -> list[str]:
        """The files in the working directory and below it."""
        return sorted(str(path.relative_to(self.here)) for path in self.here.rglob("*") if path.is_file())

    def report(self, name: str) -> list[tuple[str, str]]:
        """Name and verdict of all that the report of a run is about."""
        report = json.loads((self.here / ".traindx/runs" / name / "report.json").read_text())
        return [(run["name"], run["verdict"]) for run in report["runs"]]
