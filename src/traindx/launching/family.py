"""The processes of a program: the one we started and all that descend from it."""

import os
import signal


def family(process: int) -> dict[int, int]:
    """A process and its descendants, parents first, each with its process group.

    Where the system does not show them (only Linux does), the process alone.
    """
    parents: dict[int, int] = {}
    groups: dict[int, int] = {}
    for name in os.listdir("/proc") if os.path.exists("/proc/self/stat") else ():
        if not name.isdecimal():
            continue
        try:
            with open(f"/proc/{name}/stat", errors="replace") as file:
                _, above, group, *_ = file.read().rpartition(")")[2].split()
        except (OSError, ValueError):  # it has ended
            continue
        parents[int(name)], groups[int(name)] = int(above), int(group)
    found, left = {process: groups.get(process, 0)}, [process]
    while left:
        parent = left.pop(0)
        children = [one for one, other in parents.items() if other == parent and one not in found]
        found |= {one: groups[one] for one in children}
        left += children
    return found


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
