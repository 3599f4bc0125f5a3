"""The processes of a program: the one we started and all that descend from it."""

import os
import signal
import subprocess
from contextlib import suppress


def family(process: int) -> dict[int, int]:
    """A process and its descendants, parents first, each with its process group."""
    known = _from_proc() if os.path.exists("/proc/self/stat") else _from_ps()
    found, left = {process: known.get(process, (0, 0))[1]}, [process]
    while left:
        parent = left.pop(0)
        children = [one for one, (above, _) in known.items() if above == parent and one not in found]
        found |= {one: known[one][1] for one in children}
        left += children
    return found


def _from_proc() -> dict[int, tuple[int, int]]:
    """Every process of the system with its parent and its group, as Linux shows them."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdecimal():
            continue
        try:
            with open(f"/proc/{name}/stat", errors="replace") as file:
                _, above, group, *_ = file.read().rpartition(")")[2].split()
        except (OSError, ValueError):  # it has ended
            continue
        found[int(name)] = (int(above), int(group))
    return found


def _from_ps() -> dict[int, tuple[int, int]]:
    """The same as ps tells it, where the system does not show it; nothing where there is no ps."""
    command = ["ps", "-A", "-o", "pid=,ppid=,pgid="]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return {}
    rows = [[int(word) for word in line.split()] for line in told.stdout.splitlines()]
    return {row[0]: (row[1], row[2]) for row in rows if len(row) == 3}


def send(process: int, number: int) -> None:
    """Signal a process, if it is still there and ours."""
    try:
        os.kill(process, number)
    except (ProcessLookupError, PermissionError):
        return


def signal_program(process: int, number: int) -> None:
    """Signal a program as a key of the terminal does: the process that we started and those of its group.

    Processes that left the group answer to the one that started them; nothing outlives SIGKILL.
    """
    members = family(process)
    for one, group in members.items():
        if number == signal.SIGKILL or one == process or group == members[process]:
            send(one, number)


def end_program(process: int) -> None:
    """End a process and everything that descends from it, also what has left its parents but not its group.

    A process may end itself so; what descends from it goes first.
    """
    if process != os.getpid():
        # So that it starts nothing while its family is being looked up.
        send(process, signal.SIGSTOP)
    members = family(process)
    own = members.pop(process)
    for group in {group for group in members.values() if group not in (own, 0)}:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    for one in (*members, process):
        send(one, signal.SIGKILL)
