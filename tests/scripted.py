"""The scripts of tests/scripts and the runs that were recorded of them.

    python -m tests.scripted              record all scripts anew (about ten minutes on two cores)
    python -m tests.scripted NAME...      record some

The recordings are kept compressed in tests/data/recordings, so that a test judges them without a training.
"""

import argparse
import json
import os
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from traindx.readers.loading.runs import load
from traindx.recorder.launch.command import recording_environment
from traindx.run import Run

SCRIPTS = Path(__file__).parent / "scripts"
RECORDINGS = Path(__file__).parent / "data" / "recordings"
EVERY = 20
"""Looks at fixed steps, so that what is seen does not depend on how busy the machine is."""
_SECONDS = 600


@dataclass(frozen=True)
class Script:
    """A program and what is wrong with it, by the one who wrote it."""

    name: str
    cause: str
    """The slug of a cause, or "healthy"."""
    accept: tuple[str, ...]
    """What an expert would accept as the first answer as well."""
    line: int
    """The line a person would change; 0 where there is none."""


@cache
def scripts() -> tuple[Script, ...]:
    """Every labeled script."""
    lines = (SCRIPTS / "INDEX.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return tuple(
        Script(Path(row["script"]).stem, row["cause"], tuple(row["accept"]), row["line"]) for row in rows
    )


def scripted(name: str) -> Run:
    """The recorded run of a script: its last training, where it trains several times."""
    return scripted_runs(name)[-1]


def scripted_runs(name: str) -> list[Run]:
    """All trainings of a script, as recorded."""
    return kept_runs(RECORDINGS / f"{name}.tar.xz")


@cache
def kept_runs(archive: Path) -> list[Run]:
    """The trainings in a compressed recording."""
    with tempfile.TemporaryDirectory() as folder, tarfile.open(archive) as packed:
        path = Path(folder) / archive.name.removesuffix(".tar.xz")
        packed.extractall(path, filter="data")
        return load(path)


def record(script: Path, folder: Path, *arguments: str) -> None:
    """Train a script under the recorder; its recording lies in the folder then."""
    folder.mkdir(parents=True, exist_ok=True)
    environment = recording_environment(os.environ, folder, budget=1.0, every=EVERY)
    done = subprocess.run(
        [sys.executable, script.name, *arguments],
        env={**environment, "OMP_NUM_THREADS": "1"},
        cwd=script.parent,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert any(folder.glob("*.traindx")), f"{script.name} left no recording:\n{done.stderr[-2000:]}"


def keep(folder: Path, archive: Path) -> None:
    """Compress a recording into the repository; nothing in it tells of the machine or the hour."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive, "w:xz") as packed:
        for path in sorted(folder.glob("*.traindx")):
            with sqlite3.connect(path, isolation_level=None) as database:
                database.execute("PRAGMA journal_mode=DELETE")
                database.execute("VACUUM")
            packed.add(path, path.name, filter=_anonymous)


def _anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = ""
    return member


def main() -> None:
    """Record scripts anew."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", default=[script.name for script in scripts()])
    names = parser.parse_args().names

    def again(name: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            record(SCRIPTS / f"{name}.py", Path(folder))
            keep(Path(folder), RECORDINGS / f"{name}.tar.xz")
        return name

    with ThreadPoolExecutor(2) as pool:
        for number, name in enumerate(pool.map(again, names), start=1):
            print(f"recorded {number} of {len(names)}: {name}")


if __name__ == "__main__":
    main()
