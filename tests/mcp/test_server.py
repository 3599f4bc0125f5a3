"""The server over real standard input and output, asked by the client of the SDK."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

pytest.importorskip("mcp")

from jsonschema import validate
from mcp_types import CallToolResult, ListRootsResult, Root
from pydantic import FileUrl

from mcp import Client
from tests.cli.calling import DEMO, PATIENCE, WITHOUT_TORCH, started, traindx, until
from tests.mcp.client import Connection, connected, said

READERS = {"probe", "diagnose", "explain", "series"}
WRITERS = {"treat", "report"}
LARGEST = {"brief": 4_000, "normal": 14_000, "full": 60_000}
"""Bytes of a diagnosis of one run, as docs/agents.md promises them."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the logs of some real trainings."""
    root = tmp_path_factory.mktemp("project")
    for name in ("hot", "cool", "nan"):
        shutil.copytree(DEMO / name, root / "runs" / name)
    (root / "notes.txt").write_text("nothing to see\n")
    return root


@pytest.fixture(scope="module")
def server(place: Path) -> Iterator[Connection]:
    with connected(place) as connection:
        yield connection


def test_six_tools_say_what_they_do_to_the_world(server: Connection) -> None:
    tools = {tool.name: tool for tool in server.portal.call(server.client.list_tools).tools}
    assert set(tools) == READERS | WRITERS
    for name, tool in tools.items():
        hints = tool.annotations
        assert hints is not None
        assert hints.read_only_hint is (name in READERS)
        assert hints.open_world_hint is False
        # A script in a directory too large to be copied writes over what it wrote before.
        assert name in READERS or hints.destructive_hint is (name == "treat")
        assert tool.title
        assert tool.description
        assert "\n" not in tool.description
        assert tool.output_schema
        # What the server fills in by itself is not asked of an agent.
        assert not {"call", "roots"} & set(tool.input_schema["properties"])


def schema_of(server: Connection, name: str) -> dict[str, object]:
    tools = server.portal.call(server.client.list_tools).tools
    return next(tool.output_schema or {} for tool in tools if tool.name == name)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("probe", {"paths": ["runs"]}),
        ("probe", {"paths": ["runs"], "detail": "full"}),
        ("diagnose", {"paths": ["runs"], "detail": "brief"}),
        ("diagnose", {"paths": ["runs/hot"]}),
        ("diagnose", {"paths": ["runs/nan"], "detail": "full"}),
        ("diagnose", {"paths": "runs/cool"}),
        ("explain", {}),
        ("explain", {"name": "lr-too-high", "detail": "brief"}),
        ("explain", {"name": "Learning rate too high", "detail": "full"}),
        ("explain", {"name": "loss_diverges"}),
        ("series", {"paths": ["runs/nan"], "quantity": "train_loss", "points": 12}),
        ("report", {"paths": ["runs/hot"]}),
        ("report", {"paths": ["runs/hot"], "format": "html"}),
    ],
)
def test_results_are_what_the_schema_says_as_data_and_as_text(
    tool: str, arguments: dict[str, object], server: Connection
) -> None:
    result = server.call(tool, arguments)
    assert not result.is_error, said(result)
    validate(result.structured_content, schema_of(server, tool))
    assert json.loads(said(result)) == result.structured_content


def diagnosed(server: Connection, path: str, detail: str) -> dict[str, Any]:
    (run,) = answered(server, "diagnose", {"paths": [path], "detail": detail})["runs"]
    document: dict[str, Any] = run
    return document


def answered(server: Connection, tool: str, arguments: dict[str, object]) -> dict[str, Any]:
    content: dict[str, Any] | None = server.call(tool, arguments).structured_content
    assert content is not None
    return content


@pytest.mark.parametrize("path", ["runs/hot", "runs/nan", "runs/cool"])
def test_more_detail_says_more_and_stays_in_its_bounds(path: str, server: Connection) -> None:
    sizes = [len(json.dumps(diagnosed(server, path, detail))) for detail in LARGEST]
    assert sizes == sorted(set(sizes))
    assert all(size <= largest for size, largest in zip(sizes, LARGEST.values(), strict=True))


def test_a_verdict_has_causes_evidence_limits_and_a_next_step(server: Connection) -> None:
    run = diagnosed(server, "runs/hot", "normal")
    assert run["verdict"] == "sick"
    (first, *_) = run["causes"]
    assert first["cause"] == "lr-too-high"
    assert 0 < first["confidence"] < 1
    known = {evidence["id"] for evidence in run["evidence"]}
    assert set(first["evidence"]) <= known
    assert all(set(reason.get("evidence", ())) <= known for reason in first["why"])
    assert run["limits"]
    assert run["next_step"]["do"]


def test_a_healthy_run_accuses_nothing(server: Connection) -> None:
    run = diagnosed(server, "runs/cool", "normal")
    assert run["verdict"] == "healthy"
    assert run["causes"] == []
    assert run["next_step"]["do"] == "Change nothing."


def test_of_many_runs_the_worst_come_first_and_one_can_be_asked_for(server: Connection) -> None:
    result = answered(server, "diagnose", {"paths": ["runs"], "detail": "full"})
    assert [run["verdict"] for run in result["runs"]] == ["sick", "sick"]
    assert result["total"] == 3
    assert result["others"] == ["runs/cool: healthy 89%"]
    only = answered(server, "diagnose", {"paths": ["runs"], "run": "cool"})
    assert [run["run"] for run in only["runs"]] == ["runs/cool"]


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("diagnose", {"paths": ["runs/missing"]}, "runs/missing: no such file or folder"),
        ("diagnose", {"paths": ["../elsewhere"]}, "not in the allowed folders; choose a path in"),
        ("probe", {"paths": ["/etc"]}, "not in the allowed folders"),
        ("report", {"paths": ["/etc/passwd"]}, "not in the allowed folders"),
        ("treat", {"script": "/bin/true"}, "not in the allowed folders"),
        ("treat", {"script": "notes.txt"}, "not a Python script"),
        ("treat", {"script": "train.py"}, "no such file"),
        ("treat", {"script": "runs/hot"}, "not a Python script"),
        ("treat", {"script": "train.py", "trials": 1000}, "less than or equal to 24"),
        ("treat", {"script": "train.py", "minutes": 0}, "greater than 0"),
        ("diagnose", {"paths": ["notes.txt"]}, "no metrics found"),
        ("diagnose", {"paths": []}, "at least 1 item"),
        ("diagnose", {}, "paths"),
        ("diagnose", {"path": "runs"}, 'unknown argument "path"; did you mean paths?'),
        ("diagnose", {"paths": ["runs"], "detail": "all"}, "'brief', 'normal' or 'full'"),
        ("diagnose", {"paths": ["runs"], "run": "hott"}, "did you mean runs/hot?"),
        ("series", {"paths": ["runs"], "quantity": "train_loss"}, "3 runs match; set run to one of"),
        ("series", {"paths": ["runs/hot"], "quantity": "train_los"}, "did you mean train_loss?"),
        ("series", {"paths": ["runs/hot"], "quantity": "train_loss", "points": 10**9}, "to 2000"),
        ("explain", {"name": "lr-to-high"}, "did you mean lr-too-high?"),
        ("cure", {}, 'unknown tool "cure"; known tools: diagnose'),
    ],
)
def test_bad_input_is_an_error_of_one_sentence(
    tool: str, arguments: dict[str, object], says: str, server: Connection
) -> None:
    result = server.call(tool, arguments)
    assert result.is_error
    assert says in said(result)
    assert "\n" not in said(result)
    assert "Traceback" not in said(result)


def test_reports_are_only_ever_added_below_our_folder(server: Connection, place: Path) -> None:
    before = {path for path in place.rglob("*") if ".traindx" not in path.parts}
    files = []
    for kind in ("markdown", "html", "json", "markdown"):
        result = answered(server, "report", {"paths": ["runs/hot"], "format": kind})
        files.append(place / str(result["file"]))
    assert len(set(files)) == 4
    assert all(file.is_relative_to(place / ".traindx" / "reports") and file.stat().st_size for file in files)
    assert "lr-too-high" in files[0].read_text()
    assert {path for path in place.rglob("*") if ".traindx" not in path.parts} == before


def test_calls_run_beside_each_other(server: Connection) -> None:
    results: list[CallToolResult] = []

    async def ask(client: Client, path: str) -> None:
        results.append(await client.call_tool("diagnose", {"paths": [path], "detail": "brief"}))

    async def all_at_once() -> None:
        async with anyio.create_task_group() as tasks:
            for name in ("hot", "cool", "nan", "hot"):
                tasks.start_soon(ask, server.client, f"runs/{name}")

    server.portal.call(all_at_once)
    contents = [result.structured_content for result in results]
    named = sorted(str(content["runs"][0]["run"]) for content in contents if content is not None)
    assert named == ["runs/cool", "runs/hot", "runs/hot", "runs/nan"]


def test_reading_tells_how_far_it_is_and_can_be_canceled(server: Connection, place: Path) -> None:
    many = place / "many"
    many.mkdir()
    for number in range(60):
        (many / f"{number}.csv").write_text(
            "step,loss\n" + "".join(f"{i},{1 / (i + 1)}\n" for i in range(30))
        )
    heard: list[str] = []

    async def cut() -> None:
        with anyio.CancelScope() as scope:

            async def hear(progress: float, total: float | None, message: str | None) -> None:
                heard.append(message or "")
                scope.cancel()

            await server.client.call_tool("diagnose", {"paths": ["many"]}, progress_callback=hear)

    server.portal.call(cut)
    assert heard[0] == "reading file 10"
    assert not server.call("explain", {"name": "overfitting"}).is_error


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_roots_of_the_client_are_honored(mode: str, place: Path) -> None:
    async def roots(context: object) -> ListRootsResult:
        return ListRootsResult(roots=[Root(uri=FileUrl((place / "runs" / "hot").as_uri()))])

    with connected(place, mode=mode, asks_roots=roots) as server:
        assert not server.call("probe", {"paths": ["runs/hot"]}).is_error
        refused = server.call("probe", {"paths": ["runs/cool"]})
        assert refused.is_error
        assert "not in the allowed folders" in said(refused)


def test_standard_output_carries_the_protocol_alone(place: Path) -> None:
    requests = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "0"},
            },
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {
            "jsonrpc": "2.0",
            "id": 2,
            "method": "tools/call",
            "params": {"name": "diagnose", "arguments": {"paths": ["runs"], "detail": "brief"}},
        },
    ]
    with started("mcp", "--root", str(place), cwd=place) as process:
        assert process.stdin is not None
        process.stdin.write("".join(json.dumps(request) + "\n" for request in requests).encode())
        process.stdin.flush()
        begun = until(process, '"id":2')
        rest, errors = process.communicate(timeout=PATIENCE)
    answers = [json.loads(line) for line in (begun + rest.decode()).splitlines()]
    assert [answer["id"] for answer in answers if "id" in answer] == [1, 2]
    assert all(answer["jsonrpc"] == "2.0" for answer in answers)
    assert process.returncode == 0
    assert errors == b""


def test_a_root_that_is_not_there_is_refused(tmp_path: Path) -> None:
    done = traindx("mcp", "--root", "missing", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("traindx mcp: --root missing: not a folder; ")
    assert done.stderr.count("\n") == 1


def test_without_its_extra_it_says_what_to_install() -> None:
    program = "import sys; sys.modules['mcp'] = None; from traindx.cli import main; sys.exit(main(['mcp']))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("traindx mcp: needs the package mcp 2.3 or later: ")
    assert "pip install -e '.[mcp]'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_without_torch_it_diagnoses_and_says_what_treating_needs(place: Path) -> None:
    (place / "train.py").write_text("")
    with connected(place, python=("-c", WITHOUT_TORCH)) as server:
        assert not server.call("diagnose", {"paths": ["runs/hot"]}).is_error
        refused = server.call("treat", {"script": "train.py"})
        assert refused.is_error
        assert "pip install torch libcst" in said(refused)
    (place / "train.py").unlink()
