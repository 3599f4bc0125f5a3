"""`treat` over the protocol: a real program is run, progress is told, and canceling leaves no process."""

import json
import os
import signal
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
import pytest

pytest.importorskip("mcp")
pytest.importorskip("torch")
pytest.importorskip("libcst")

from mcp_types import CallToolResult

from mcp import MCPError
from tests.cli.test_treat import written
from tests.mcp.client import Connection, connected, said
from traindx.recorder.launch.process_tree import family

ENDLESS = """\
import os, pathlib, subprocess, sys, time

child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print("noise", flush=True)
pathlib.Path(sys.argv[1]).write_text(f"{os.getpid()} {child.pid}")
time.sleep(600)
"""
PATIENCE = 120


def wait_for(what: Callable[[], bool]) -> bool:
    until = time.monotonic() + PATIENCE
    while not what() and time.monotonic() < until:
        time.sleep(0.05)
    return what()


def is_there(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def pids_in(file: Path) -> list[int]:
    assert wait_for(lambda: file.exists() and len(file.read_text().split()) == 2)
    return [int(word) for word in file.read_text().split()]


def test_a_program_is_treated_and_every_arm_is_told(tmp_path: Path) -> None:
    script = written(tmp_path, "0.00003")
    source = script.read_text()
    heard: list[tuple[float, float | None, str]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message or ""))

    with connected(tmp_path) as server:
        arguments = {"script": "train.py", "only": ["optimizer.lr x 10000"], "trials": 1, "steps": 40}
        call = partial(server.client.call_tool, "treat", arguments, progress_callback=hear)
        result = server.portal.call(call)
    assert not result.is_error, said(result)
    content = result.structured_content
    assert content is not None
    assert json.loads(said(result)) == content
    # One pair of arms proves nothing, however good it looks.
    assert content["outcome"] == "no proven win"
    (trial,) = content["trials"]
    assert trial["change"] == "optimizer.lr x 10000"
    assert trial["treated"] < trial["control"]
    assert content["before"]["causes"][0]["cause"] == "lr-too-low"
    assert "no fix is proven" in content["next_step"]["do"]
    assert (tmp_path / content["folder"] / "report.html").stat().st_size > 1000
    assert script.read_text() == source
    assert {path.name for path in tmp_path.iterdir()} == {"train.py", ".traindx"}
    times = [done for done, _, _ in heard]
    assert times == sorted(times)
    assert {total for _, total, _ in heard} == {300.0}
    messages = " ".join(message for _, _, message in heard)
    assert "recording the program without changes" in messages
    assert "trial 1/1: lr x 10,000" in messages


def canceled(server: Connection, pids: Path) -> list[int]:
    """The processes of a program whose treatment was canceled in the middle of it."""

    async def cut() -> list[int]:
        async with anyio.create_task_group() as tasks:
            arguments = {"script": "endless.py", "arguments": [str(pids)]}
            tasks.start_soon(partial(server.client.call_tool, "treat", arguments))
            remaining = await anyio.to_thread.run_sync(pids_in, pids)
            second = await server.client.call_tool("treat", arguments)
            assert "another treat is running" in said(second)
            tasks.cancel_scope.cancel()
        return remaining

    return server.portal.call(cut)


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of no project: what is written in the project goes to its copy."""
    return tmp_path_factory.mktemp("outside")


def test_canceling_ends_every_process_and_leaves_the_server_alive(tmp_path: Path, outside: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    with connected(tmp_path) as server:
        started = canceled(server, outside / "pids")
        (_, serving, *_) = family(os.getpid())
        assert wait_for(lambda: not any(map(is_there, started)))
        assert wait_for(lambda: list(family(serving)) == [serving])
        assert wait_for(lambda: not list(tmp_path.glob(".traindx/**/*.work")))
        # The next one is not kept waiting by it.
        again: CallToolResult = server.call("treat", {"script": "missing.py"})
        assert "no such file" in said(again)


def test_a_server_that_is_killed_leaves_no_process(tmp_path: Path, outside: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    pids = outside / "pids"
    with connected(tmp_path) as server:
        arguments = {"script": "endless.py", "arguments": [str(pids)]}
        waiting = server.portal.start_task_soon(partial(server.client.call_tool, "treat", arguments))
        started = pids_in(pids)
        (_, serving, *below) = family(os.getpid())
        assert set(started) < set(below)
        os.kill(serving, signal.SIGKILL)
        with pytest.raises(MCPError):
            waiting.result(timeout=PATIENCE)
    assert wait_for(lambda: not any(map(is_there, below)))
