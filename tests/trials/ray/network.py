"""A network and processes of their own: Ray listens on all addresses, and leaves processes behind."""

import os
import shutil
import subprocess
import sys
from functools import cache

# Others than root become root of a world of their own first. All processes in it end with its first one.
_FIRST = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
_ALONE = ["unshare", *_FIRST, "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
_INSIDE = ["sh", "-c", 'ip link set lo up && exec "$@"', "sh"]


@cache
def why_not() -> str:
    """Why there can be no such network here; empty where there can."""
    if missing := [name for name in ("unshare", "ip") if shutil.which(name) is None]:
        return f"{missing[0]} is not installed, so that Ray would have to use the network of this machine"
    done = subprocess.run([*_ALONE, *_INSIDE, "true"], capture_output=True, text=True, check=False)
    return f"a network of its own is not permitted here: {done.stderr.strip()}" if done.returncode else ""


def alone(*words: str) -> list[str]:
    """The words of a Python command as those of one that has only the loopback device."""
    return [*_ALONE, *_INSIDE, sys.executable, *words]
