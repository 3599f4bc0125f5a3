"""Programs run plainly and under `traindx run`, once per session however many tests look at them."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

PROGRAMS = Path(__file__).parents[1] / "programs"
TYPED = "typed by a person\n"
"""What stands in the programs' standard input."""
_PATIENCE = 300
_ABORTED_AT_EXIT = "terminate called without an active exception"
"""What C++ says when gloo's threads outlive the interpreter.

DDP of torch 2.13 keeps its process group for ever, so they are still there when a program ends, with us or
without; on a busy machine one such program in hundreds dies of it.
"""
_TRIES = 3


@dataclass(frozen=True)
class Outcome:
    """What a program did that can be seen from outside."""

    code: int
    stdout: str
    stderr: str
    left: tuple[str, ...]
    """Files it left in its working directory."""


@dataclass(frozen=True)
class Pair:
    """The same program without and with us."""

    plain: Outcome
    recorded: Outcome
    out: Path
    """What was given as --out."""

    @property
    def tapes(self) -> list[Path]:
        """The recordings, in the order of their names."""
        return sorted(self.out.rglob("*.traindx"))

    @property
    def report(self) -> str:
        """What stands in stderr after the program's own."""
        return self.recorded.stderr.removeprefix(self.plain.stderr)


def command_of(name: str, arguments: Sequence[str] = (), ranks: int = 0) -> list[str]:
    """The words that start a program of the shelf."""
    launcher = (
        ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks)] if ranks else []
    )
    return [sys.executable, *launcher, str(PROGRAMS / f"{name}.py"), *arguments]


def recording(command: Sequence[str], out: Path, *options: str) -> list[str]:
    """The same words under `traindx run`."""
    return [sys.executable, "-m", "traindx", "run", "--out", str(out), *options, "--", *command]


def environment(shared: Path) -> dict[str, str]:
    """What programs of these tests find: one thread, no colors, a cache of compiled code."""
    ours = {
        "OMP_NUM_THREADS": "1",
        "NO_COLOR": "1",
        "COLUMNS": "110",
        "TORCHINDUCTOR_CACHE_DIR": str(shared / "inductor"),
        "TORCHINDUCTOR_COMPILE_THREADS": "1",
        # Trusted without compiling a program for each, which takes as long as what is compiled here.
        "TORCHINDUCTOR_VEC_ISA_OK": "1",
        "HF_HUB_OFFLINE": "1",
    }
    return {**{key: value for key, value in os.environ.items() if not key.startswith("TRAINDX")}, **ours}


def run(command: Sequence[str], folder: Path, variables: Mapping[str, str]) -> Outcome:
    """Run a command to its end, in an empty folder of its own."""
    folder.mkdir(parents=True)
    done = subprocess.run(
        command,
        cwd=folder,
        env={**variables, "PWD": str(folder)},
        input=TYPED,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    left = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
    return Outcome(done.returncode, done.stdout, done.stderr, tuple(left))


def run_afresh(command: Sequence[str], folder: Path, variables: Mapping[str, str], out: Path) -> Outcome:
    """Run a command; once more, from nothing, where torch aborted while it was taken down."""
    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(out, ignore_errors=True)
        outcome = run(command, folder, variables)
        if _ABORTED_AT_EXIT not in outcome.stderr:
            break
    return outcome


def pair_of(shared: Path, name: str, command: Sequence[str]) -> Pair:
    """Run a program both ways, or recall what another test found."""
    home = shared / name
    home.mkdir(parents=True, exist_ok=True)
    out = home / "out"
    with (home / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        kept = home / "outcomes.json"
        if not kept.exists():
            variables = environment(shared)
            outcomes = [
                # The same folder name: a program may print where it is.
                run_afresh(command, home / "plain" / "work", variables, out),
                run_afresh(recording(command, out), home / "recorded" / "work", variables, out),
            ]
            kept.write_text(json.dumps([asdict(outcome) for outcome in outcomes]))
        plain, recorded = (
            Outcome(**{**load, "left": tuple(load["left"])}) for load in json.loads(kept.read_text())
        )
    return Pair(plain, recorded, out)
