"""What is done on real clusters; run as a program in a network of its own, it prints what came of it.

The training waits in its arms of some seeds until it is let go, so that nothing hangs on the machine's speed.
"""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

PORT = 6399
ADDRESS = f"127.0.0.1:{PORT}"
LOST_AFTER = "3"
"""Seconds after which Ray gives up a head; one minute by default."""

TRAINING = """\
import json, os, sys, time
from pathlib import Path

held, seed = Path(sys.argv[1]), json.loads(os.environ["TRAINDX_TRIAL"])["seed"]
if str(seed) in sys.argv[2:]:
    (held / str(os.getpid())).write_text(str(seed))
    while not (held / f"go-{seed}").exists():
        time.sleep(0.05)

import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(len(Path("notes.txt").read_text()))
x = torch.randn(256, 6)
y = (x @ torch.randn(6, 1) > 0).float()
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=3 * 0.00001)
for batch in torch.randperm(1280).remainder(256).split(32):
    loss = nn.functional.binary_cross_entropy_with_logits(model(x[batch]), y[batch])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
torch.save(model.state_dict(), "model.pt")
"""


_VERDICT = ("name", "control", "treated", "effect", "gain", "outcome", "says")


def until(happens: Callable[[], object], seconds: float = 600.0) -> None:
    end = time.monotonic() + seconds
    while not happens():
        if time.monotonic() > end:
            raise TimeoutError("it did not happen")
        time.sleep(0.05)


class Treatment:
    """`traindx treat` on the training, which is held in the arms of some seeds."""

    def __init__(self, here: Path, *options: str, held: Sequence[int] = ()) -> None:
        here.mkdir()
        self.here, self.held = here, here.with_name(f"{here.name}-held")
        self.held.mkdir()
        (here / "train.py").write_text(TRAINING)
        (here / "notes.txt").write_text("goes with the program")
        words = ["--only", "optimizer.lr x 10000", "train.py", str(self.held), *map(str, held)]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "traindx", "treat", *options, *words],
            cwd=here,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200"},
            stdin=subprocess.DEVNULL,
            stdout=(here / "out.txt").open("wb"),
            stderr=(here / "err.txt").open("wb"),
        )

    def programs(self, seed: int) -> list[int]:
        """The processes of the training that were held in arms of a seed, also those that are gone."""
        paths = [path for path in self.held.iterdir() if path.name.isdecimal()]
        return [int(path.name) for path in paths if path.read_text() == str(seed)]

    def until_held(self, seed: int, arms: int = 1) -> None:
        until(lambda: len(self.programs(seed)) == arms or self.process.poll() is not None)

    def until_ended(self, seed: int) -> None:
        """Until nothing is left of what was held."""
        self.process.wait(120)
        until(lambda: not any(map(is_alive, self.programs(seed))))

    def let_go(self, seed: int) -> None:
        (self.held / f"go-{seed}").touch()

    def result(self) -> dict[str, object]:
        code = self.process.wait(240)
        report = self.here / ".traindx" / "treatments" / "train-1" / "report.json"
        trials = json.loads(report.read_text())["runs"][0]["trials"] if report.exists() else []
        recordings = (self.here / ".traindx").rglob("*.traindx")
        return {
            "code": code,
            "out": (self.here / "out.txt").read_text(),
            "err": (self.here / "err.txt").read_text(),
            "verdicts": [[trial[name] for name in _VERDICT] for trial in trials],
            "arms": sorted(path.parent.name for path in recordings),
            "files": sorted(path.name for path in self.here.iterdir()),
        }


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def node(*options: str) -> "subprocess.Popen[bytes]":
    """One node of a cluster, with one CPU."""
    return subprocess.Popen(
        [
            str(Path(sys.executable).with_name("ray")),
            *["start", "--block", "--num-cpus", "1", "--node-ip-address", "127.0.0.1"],
            *["--disable-usage-stats", "--object-store-memory", "100000000", *options],
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def kill(one: "subprocess.Popen[bytes]") -> None:
    """As if somebody pulled the plug; what Ray's workers had started has to find out by itself."""
    daemons = children(one.pid)
    workers = [pid for daemon in daemons for pid in children(daemon)]
    for pid in (*workers, *daemons, one.pid):
        os.kill(pid, signal.SIGKILL)
    one.wait()


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def cluster(here: Path, scratch: Path) -> dict[str, object]:
    """Two nodes: interrupt, ask for too much, lose one and then the other, ask for what is not there."""
    os.environ |= {
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_gcs_rpc_server_reconnect_timeout_s": LOST_AFTER,
    }
    temporary = ["--temp-dir", str(scratch / "ray")]
    head = node("--head", "--port", str(PORT), "--include-dashboard", "false", *temporary)
    until(is_listening)
    other = node("--address", ADDRESS)
    on_cluster = ["--engine", "ray", "--address", ADDRESS]
    results: dict[str, object] = {}

    treatment = Treatment(here / "stop", *on_cluster, held=[0])
    treatment.until_held(0)
    treatment.process.send_signal(signal.SIGINT)
    treatment.until_ended(0)
    results["interrupted"] = treatment.result()

    results["greedy"] = Treatment(
        here / "greedy", *on_cluster, "--cpus-per-arm", "64", "--minutes", "0.1"
    ).result()

    treatment = Treatment(here / "lost", *on_cluster, "--seeds", "3", held=[1, 2])
    treatment.until_held(1, arms=2)
    kill(other)
    # The program of the other node is ended, although nobody lets it go.
    until(lambda: sum(map(is_alive, treatment.programs(1))) == 1)
    treatment.let_go(1)
    treatment.until_held(2)
    kill(head)
    treatment.until_ended(2)
    results["lost"] = treatment.result()

    results["nobody"] = Treatment(here / "nobody", *on_cluster).result()
    # Whoever was killed could not clear away.
    until(lambda: not folders(scratch))
    return results


def is_listening() -> bool:
    try:
        socket.create_connection(("127.0.0.1", PORT), 1).close()
    except OSError:
        return False
    return True


def machine(here: Path, scratch: Path) -> dict[str, object]:
    """The same treatment in processes and on a Ray of this machine, and what the latter leaves behind."""
    one_arm = ["--seeds", "1", "--trials", "1"]
    results = {
        "processes": Treatment(here / "processes", *one_arm).result(),
        "ray": Treatment(here / "ray", "--engine", "ray", *one_arm).result(),
    }
    commands = [path.read_bytes().decode() for path in Path("/proc").glob("[0-9]*/cmdline")]
    processes = [
        command
        for command in commands
        if "ray::" in command or "raylet" in command or "gcs_server" in command
    ]
    return {**results, "behind": {"processes": processes, "folders": folders(scratch)}}


def folders(scratch: Path) -> list[str]:
    """What arms and a Ray of our own have for themselves."""
    return [path.name for path in scratch.glob("traindx-*")]


if __name__ == "__main__":
    session = {"cluster": cluster, "machine": machine}[sys.argv[1]]
    # Ray has sockets in it, and their paths may have a hundred characters.
    with tempfile.TemporaryDirectory(prefix="tdx", dir="/tmp", ignore_cleanup_errors=True) as own:
        os.environ["TMPDIR"] = own
        sys.stdout.write(json.dumps(session(Path(sys.argv[2]), Path(own))))
