"""A disk that fails costs the recording, never the training."""

import resource
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.promises.running import command_of, environment, pair_of, recording
from tests.promises.trainings import everything
from traindx.recorder.hooks import attachment

SMALL = 24_576
"""Bytes a file may have: room for the tables of a recording and some of its rows."""


@pytest.mark.parametrize("limit", [pytest.param(1024, marks=pytest.mark.slow), SMALL])
def test_a_full_disk_does_not_stop_the_program(limit: int, tmp_path: Path, shared: Path) -> None:
    plain = pair_of(shared, "plain_loop", command_of("plain_loop")).plain
    done = subprocess.run(
        recording(command_of("plain_loop"), tmp_path / "out"),
        cwd=tmp_path,
        env=environment(shared),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
    )
    assert done.stdout == plain.stdout
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("\n"), "the program itself said nothing"
    stderr = " ".join(done.stderr.split())
    assert f"the recording is incomplete: the file size limit is {limit:,} bytes" in stderr


def test_a_folder_that_is_removed_does_not_stop_the_program(tmp_path: Path) -> None:
    _, plain = everything()
    folder = tmp_path / "run"
    watching = attachment.attach(folder, budget=1.0)
    try:
        everything(epochs=1)
        shutil.rmtree(folder)
        _, watched = everything()
    finally:
        watching.detach()
    assert watched == plain
