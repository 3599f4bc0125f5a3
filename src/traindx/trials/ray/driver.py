"""The process that speaks to Ray: takes arms from our side, submits them as tasks, and writes what they left.

It is a process of its own, because Ray ends the process whose cluster is lost. It ends when its input does.
"""

import os
import secrets
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from types import ModuleType
from typing import BinaryIO

import traindx
from traindx.errors import TraindxError
from traindx.format import count
from traindx.trials.ray.messages import About, Opening, Request, Told, decoded, encoded
from traindx.trials.ray.task import Begun, Returned, Sent, packed, run_arm, unpacked

RETRIES = 3
"""How often an arm is run again whose worker was lost. What the program does itself is a result."""
_GLANCE = 0.1
"""Seconds that are waited for arms before new ones are looked for."""
_COUNTS = 2.0
"""Seconds after which the nodes are counted again."""
_SLACK = 60.0
"""Seconds for sending and unpacking, beside those of the program."""
_ANSWERS = 5.0
"""Seconds in which a head has to answer."""

_Line = Request | None
"""None where no more will come."""


@dataclass
class _Underway:
    """An arm that was submitted."""

    request: Request
    since: float = field(default_factory=time.monotonic)
    begun: Begun | None = None


class Driver:
    """The arms of one treatment on one cluster."""

    def __init__(self, ray: ModuleType, opening: Opening, out: BinaryIO) -> None:
        self._ray, self._opening, self._out = ray, opening, out
        files = packed(opening.workspace.files()) if opening.workspace.copies else None
        workspace = opening.workspace
        self._sent = ray.put(Sent(workspace.root, files, opening.word, opening.carried, workspace.inside))
        self._task = ray.remote(run_arm)
        self._underway: dict[object, _Underway] = {}
        self._timed_on = ""
        """The node of the arms whose speed counts: those of two nodes could not be compared."""
        self._counted = 0.0

    def serve(self, lines: "SimpleQueue[_Line]") -> None:
        """Run what is asked for until no more will come."""
        self._tell(Told(About.READY, room=self._room()))
        while (taken := self._take(lines)) is not None:
            for request in taken:
                self._submit(request)
            self._look()

    def _take(self, lines: "SimpleQueue[_Line]") -> list[Request] | None:
        """What was asked for meanwhile, with a short wait where nothing is underway; None at the end."""
        taken: list[Request] = []
        with suppress(Empty):
            line = lines.get(block=not self._underway, timeout=_GLANCE)
            while line is not None:
                taken.append(line)
                line = lines.get_nowait()
            return None
        return taken

    def _submit(self, request: Request) -> None:
        order = request.order
        where: object = "SPREAD"
        if order.is_timed and self._timed_on:
            from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

            where = NodeAffinitySchedulingStrategy(self._timed_on, soft=True)
        task = self._task.options(
            name=f"traindx {order.folder.name}",
            num_cpus=self._opening.cpus,
            num_gpus=self._opening.gpus,
            max_retries=RETRIES,
            retry_exceptions=False,
            scheduling_strategy=where,
        )
        self._underway[task.remote(order, self._sent)] = _Underway(request)

    def _look(self) -> None:
        """Take what arms have to say, and look after those that are overdue."""
        if not self._underway:
            return
        ready, _ = self._ray.wait(list(self._underway), num_returns=1, timeout=_GLANCE)
        for reference in ready:
            self._hear(reference)
        now = time.monotonic()
        for reference, arm in list(self._underway.items()):
            order = arm.request.order
            waited = now - arm.since
            if arm.begun is None and waited > order.waits:
                self._give_up(reference, f"no free resources within {waited:.0f} s: {self._scarcity()}")
            elif arm.begun is not None and waited > (RETRIES + 1) * (order.seconds + _SLACK):
                self._give_up(reference, f"the node did not answer within {waited:.0f} s")
        if now - self._counted > _COUNTS:
            self._counted = now
            self._tell(Told(About.ROOM, room=self._room()))
            if any(arm.begun is None and now - arm.since > _COUNTS for arm in self._underway.values()):
                self._tell(Told(About.WAITING, says=f"waiting for the cluster: {self._scarcity()}"))

    def _hear(self, stream: "Iterator[object]") -> None:
        arm = self._underway[stream]
        try:
            said = self._ray.get(next(stream))
        except self._ray.exceptions.RayError as error:
            del self._underway[stream]
            self._tell(Told(About.FAILED, arm.request.number, says=_says(self._ray, error)))
            return
        if isinstance(said, Begun):
            arm.begun, arm.since = said, time.monotonic()
            if arm.request.order.is_timed:
                self._timed_on = said.node
            return
        del self._underway[stream]
        try:
            self._tell(_kept(arm, said))
        except (OSError, TraindxError) as error:
            self._tell(Told(About.FAILED, arm.request.number, says=str(error)))

    def _give_up(self, task: object, says: str) -> None:
        arm = self._underway.pop(task)
        self._ray.cancel(task, force=True)
        self._tell(Told(About.FAILED, arm.request.number, says=says))

    def _scarcity(self) -> str:
        whole, free = self._ray.cluster_resources(), self._ray.available_resources()
        kinds = ("CPU", "GPU") if self._opening.gpus else ("CPU",)
        figures = " and ".join(f"{free.get(kind, 0):g} of {whole.get(kind, 0):g} {kind}s" for kind in kinds)
        gpus = f" and {self._opening.gpus:g} GPU" if self._opening.gpus else ""
        return f"a trial run needs {count(self._opening.cpus, 'CPU')}{gpus}; {figures} are free"

    def _room(self) -> int:
        nodes = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        asked = {"CPU": self._opening.cpus, "GPU": self._opening.gpus}
        return sum(min(int(node.get(kind, 0) // n) for kind, n in asked.items() if n) for node in nodes)

    def _tell(self, word: Told) -> None:
        self._out.write(encoded(word))


def _kept(arm: _Underway, said: Returned) -> Told:
    """Write what an arm left where our side wants it."""
    number, order = arm.request.number, arm.request.order
    if said.refused:
        return Told(About.FAILED, number, says=said.refused)
    unpacked(said.files, order.folder)
    if order.saves is not None and said.weights is not None:
        order.saves.write_bytes(said.weights)
    return Told(
        About.ENDED,
        number,
        code=said.code,
        seconds=said.seconds,
        place=Path(said.place),
        is_again=said.begun != arm.begun,
    )


def _says(ray: ModuleType, error: Exception) -> str:
    """What a person is told of a task that Ray gave up."""
    lost = (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.ObjectLostError)
    if isinstance(error, lost):
        return f"the Ray worker was lost {RETRIES + 1} times"
    if isinstance(error, ray.exceptions.OutOfMemoryError):
        return "the node ran out of memory"
    return f"the Ray task failed: {_last(error)}"


def _last(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:300]


def connected(opening: Opening) -> ModuleType:
    """Ray, with a cluster behind it; raises with a sentence where there is none."""
    settings: dict[str, object] = {"address": "local"}
    if opening.address is None:
        settings |= {"num_cpus": opening.cores, "include_dashboard": False, "_temp_dir": str(opening.scratch)}
        # Ray listens on the address of the machine, and would else write a token into the user's home.
        os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    else:
        _refuse_silent(opening.address)
        settings["address"] = opening.address
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # After its environment: Ray reads that when it is imported.
    ray = import_module("ray")
    try:
        ray.init(
            log_to_driver=False,
            logging_level="ERROR",
            # Nodes get this very version of us; what it is made of they need not have.
            runtime_env={"py_modules": [os.path.dirname(traindx.__file__)], "excludes": ["__pycache__"]},
            **settings,
        )
    except Exception as error:  # whatever Ray raises, its user gets a sentence
        raise TraindxError(_why_not(opening.address, error)) from error
    return ray


def _refuse_silent(address: str) -> None:
    """Ask the head whether it is there: Ray itself would try for much longer."""
    host, _, port = address.rpartition(":")
    if address == "auto":
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_ANSWERS).close()
    except OSError as error:
        why = error.strerror or "no answer"
        raise TraindxError(
            f"--address {address}: no Ray cluster answers ({why}); check it with ray status, or"
            " omit --address to start Ray on this machine"
        ) from error


def _why_not(address: str | None, error: Exception) -> str:
    if address is None:
        return f"Ray did not start on this machine: {_last(error)}"
    chain: BaseException | None = error
    while chain is not None:
        if type(chain).__name__ == "AuthenticationError" or "InvalidAuthToken" in str(chain):
            return (
                f"--address {address}: missing or wrong auth token; set RAY_AUTH_MODE=token"
                " and RAY_AUTH_TOKEN_PATH to the token file"
            )
        chain = chain.__cause__ or chain.__context__
    return f"--address {address}: cannot connect to the Ray cluster: {_last(error)}"


def _read(lines: "SimpleQueue[_Line]") -> None:
    for line in sys.stdin.buffer:
        lines.put(decoded(line, Request))
    lines.put(None)


def main() -> None:
    """Serve our side until it has no more to ask."""
    # Ray prints where it likes; what our side reads has a place of its own.
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    opening = decoded(sys.stdin.buffer.readline(), Opening)
    try:
        ray = connected(opening)
    except TraindxError as error:
        out.write(encoded(Told(About.REFUSED, says=str(error))))
        return
    lines: SimpleQueue[_Line] = SimpleQueue()
    Thread(target=_read, args=(lines,), daemon=True).start()
    try:
        Driver(ray, opening, out).serve(lines)
    except (ray.exceptions.RayError, ConnectionError, RuntimeError) as error:
        out.write(encoded(Told(About.LOST, says=_last(error))))
    finally:
        ray.shutdown()


if __name__ == "__main__":
    main()
