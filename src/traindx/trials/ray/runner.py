"""Our side of a Ray cluster: starts the driver, gives it arms, and reads what they left."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from itertools import count as numbers
from pathlib import Path
from threading import Lock, Thread

from traindx.errors import TraindxError
from traindx.format import count
from traindx.trials.program import ArmSpec, Ended
from traindx.trials.ray.messages import About, Opening, Request, Told, decoded, encoded
from traindx.trials.ray.task import SHARED
from traindx.trials.runner import ArmResult, cores, done_from
from traindx.trials.types import Progress
from traindx.trials.workspace import Workspace

LOG = "ray.txt"
"""What Ray said, in the folder of the treatment; kept where something went wrong."""
_MOST = 8
"""Arms in parallel, however large the cluster is: a search asks for no more at a time."""
_CONNECTS = 60.0
"""Seconds in which Ray has to be there."""
_LEAVES = 15.0
"""Seconds in which it has to be gone."""
_SHORT = 20
"""Characters that the path of the folder for temporary files may have."""
_CARRIED = ("KERAS_BACKEND", "OMP_NUM_THREADS", "PYTHONHASHSEED", "PYTHONPATH")
"""What goes with the program to a node; all else of the environment is the node's own."""


@dataclass(frozen=True)
class Cluster:
    """Which Ray, and what an arm takes of it."""

    address: str | None = None
    """HOST:PORT of its head, or "auto" for the one this machine is a node of; None for a Ray of its own."""
    cpus_per_arm: int = 1
    gpus_per_arm: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what no cluster can be asked."""
        is_share = 0 <= self.gpus_per_arm <= 1 or self.gpus_per_arm % 1 == 0
        if self.cpus_per_arm < 1 or not is_share or self.gpus_per_arm < 0:
            asked = f"{self.cpus_per_arm} CPUs and {self.gpus_per_arm:g} GPUs per trial run"
            raise TraindxError(f"{asked}; expected at least 1 CPU, and whole GPUs or a fraction of one")
        if self.address is None:
            if self.cpus_per_arm > cores():
                raise TraindxError(
                    f"{self.cpus_per_arm} CPUs per trial run, but this machine has {cores()}; request fewer,"
                    " or use a cluster (--address)"
                )
        elif self.address.startswith("ray://"):
            raise TraindxError(
                f"--address {self.address}: Ray client addresses are not supported; run traindx on a node"
                " (ray job submit) with --address auto"
            )
        elif self.address != "auto" and not _is_host_and_port(self.address):
            raise TraindxError(f"--address {self.address}: expected HOST:PORT or auto")


def _is_host_and_port(address: str) -> bool:
    host, _, port = address.rpartition(":")
    return bool(host) and port.isdecimal() and int(port) < 1 << 16


def _new_scratch() -> Path:
    """A folder for Ray, which has sockets far below it: their paths may have a hundred characters."""
    usual = tempfile.gettempdir()
    short = usual if len(usual) <= _SHORT else "/tmp"  # noqa: S108  # what is made in it is ours alone
    return Path(tempfile.mkdtemp(prefix="traindx-", dir=short))


class RayRunner:
    """Tasks of Ray, on a cluster or on this machine."""

    def __init__(self, cluster: Cluster, workspace: Workspace, folder: Path, say: Progress) -> None:
        """Start or reach the cluster; raises with a sentence where that cannot be."""
        if find_spec("ray") is None:
            raise TraindxError("--engine ray needs Ray: pip install 'ray>=2.60'")
        self._cluster, self._say, self._copies = cluster, say, workspace.copies
        self._log = folder / LOG
        self._word = secrets.token_hex(16)
        self._scratch = _new_scratch()
        self._room, self._again, self._closed = 1, 0, False
        self.lost = ""
        """That the cluster is lost, where it is."""
        self._numbers, self._lock = numbers(1), Lock()
        self._waiting: dict[int, Future[Told]] = {}
        self._ready: Future[Told] = Future()
        say(f"connecting to Ray at {cluster.address}" if cluster.address else "starting Ray on this machine")
        with self._log.open("wb") as log:
            self._driver = subprocess.Popen(
                # Without the working directory among the places of modules: it may have a ray.py.
                [sys.executable, "-P", "-m", "traindx.trials.ray.driver"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                process_group=0,
            )
        self._listener = Thread(target=self._listen, daemon=True)
        self._listener.start()
        try:
            self._open(workspace)
        except BaseException:
            self.close()
            raise

    def _open(self, workspace: Workspace) -> None:
        opening = Opening(
            address=self._cluster.address,
            cpus=self._cluster.cpus_per_arm,
            gpus=self._cluster.gpus_per_arm,
            cores=cores(),
            scratch=self._scratch,
            workspace=workspace,
            word=self._word,
            carried={name: os.environ[name] for name in _CARRIED if name in os.environ},
        )
        self._send(opening)
        where = f"--address {self._cluster.address}" if self._cluster.address else "Ray"
        try:
            reply = self._ready.result(timeout=_CONNECTS)
        except TimeoutError:
            self.lost = f"{where}: no Ray within {_CONNECTS:.0f} s; see {self._log}"
            raise TraindxError(self.lost) from None
        if reply.about is About.LOST:
            why = f" ({reply.says})" if reply.says else ""
            raise TraindxError(f"{where}: Ray stopped before the first trial run{why}; see {self._log}")
        if reply.about is About.REFUSED:
            raise TraindxError(reply.says)

    def carry_out(self, order: ArmSpec) -> ArmResult:
        """Run an arm on some node, and read what came back."""
        order.folder.mkdir(parents=True, exist_ok=True)
        shared = order.folder / SHARED
        shared.write_text(self._word)
        try:
            number, answer = self._numbered()
            self._send(Request(number, order))
            reply = answer.result()
        finally:
            shared.unlink(missing_ok=True)
        if reply.about is About.LOST:
            return ArmResult(order, None, 0.0, "the Ray cluster was lost during the run")
        if reply.about is About.FAILED:
            return ArmResult(order, None, 0.0, reply.says)
        return done_from(replace(order, place=reply.place), Ended(reply.code, reply.seconds))

    def at_once(self, *, timed: bool) -> int:
        """As many as the cluster has room for, up to eight; one where they share a working directory."""
        return 1 if timed or not self._copies else max(1, min(_MOST, self._room))

    def threads(self, *, timed: bool) -> int:
        """The CPUs of an arm."""
        return self._cluster.cpus_per_arm

    @property
    def notes(self) -> tuple[str, ...]:
        """What was run again, and that the cluster was lost."""
        again = f"{count(self._again, 'trial run')} repeated after a Ray worker was lost"
        lost = f"{self.lost}: results use only the trial runs that had finished; see {LOG} next to the report"
        return (*([again] if self._again else []), *([lost] if self.lost else []))

    def close(self) -> None:
        """End all arms and let go of the cluster; a Ray of our own is ended."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        with suppress(OSError):
            assert self._driver.stdin is not None
            self._driver.stdin.close()
        try:
            # While it is still looking for a cluster, it does not listen.
            self._driver.wait(_LEAVES if self._ready.done() else 0)
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(self._driver.pid, signal.SIGKILL)
            self._driver.wait()
        self._listener.join(_LEAVES)
        if not self.lost:
            self._log.unlink(missing_ok=True)
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _numbered(self) -> "tuple[int, Future[Told]]":
        """The number of one more arm, and what will be told of it."""
        answer: Future[Told] = Future()
        with self._lock:
            number = next(self._numbers)
            if self.lost or self._closed:
                answer.set_result(Told(About.LOST))
            else:
                self._waiting[number] = answer
        return number, answer

    def _send(self, word: Opening | Request) -> None:
        # Where the driver is gone, the listener says so.
        with suppress(OSError, ValueError), self._lock:
            assert self._driver.stdin is not None
            self._driver.stdin.write(encoded(word))
            self._driver.stdin.flush()

    def _listen(self) -> None:
        assert self._driver.stdout is not None
        for line in self._driver.stdout:
            self._take(decoded(line, Told))
        # It ended: because it was told to, or because Ray ends whoever lost its cluster.
        self._take(Told(About.LOST))

    def _take(self, reply: Told) -> None:
        if reply.about in (About.READY, About.ROOM):
            self._room = reply.room
        if reply.about is About.WAITING:
            self._say(reply.says)
        if reply.about in (About.ENDED, About.FAILED):
            self._again += reply.is_again
            self._waiting.pop(reply.number).set_result(reply)
        if reply.about is About.LOST:
            refused = self._ready.done() and self._ready.result().about is About.REFUSED
            with self._lock:
                self.lost = self.lost or ("" if self._closed or refused else "the Ray cluster was lost")
                left, self._waiting = list(self._waiting.values()), {}
            for answer in left:
                answer.set_result(reply)
        if reply.about in (About.READY, About.REFUSED, About.LOST) and not self._ready.done():
            self._ready.set_result(reply)


LOCAL, RAY = "local", "ray"
ENGINES = (LOCAL, RAY)


def cluster_of(
    engine: str, address: str | None, cpus_per_arm: int | None, gpus_per_arm: float | None
) -> Cluster | None:
    """The Ray that is asked for, or None; refused where what was asked makes no sense."""
    if engine not in ENGINES:
        raise TraindxError(f'unknown engine "{engine}"; expected {" or ".join(ENGINES)}')
    if engine == RAY:
        return Cluster(address, 1 if cpus_per_arm is None else cpus_per_arm, gpus_per_arm or 0.0)
    asked = {"address": address, "cpus-per-arm": cpus_per_arm, "gpus-per-arm": gpus_per_arm}
    if named := [name for name, value in asked.items() if value is not None]:
        raise TraindxError(f"--{named[0]} needs --engine ray")
    return None
