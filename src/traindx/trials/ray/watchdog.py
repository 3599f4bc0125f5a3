"""Ends a program whose worker is gone, and removes its folder; a process of its own, started by the worker.

It is told the group of the program's processes on its standard input, 0 when they have ended, and "over" when
the folder is gone too. The end of that input without the word means that the worker is gone: then nobody else
would end the program.
"""

import os
import shutil
import signal
import sys
from contextlib import suppress

OVER = "over"


def main() -> None:
    """Wait for the word, or for the end of the input."""
    # Not a child of the worker: Ray ends these with it.
    if os.fork():
        os._exit(0)
    os.setsid()
    group = 0
    for line in sys.stdin:
        if line.strip() == OVER:
            return
        group = int(line)
    if group:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)
    shutil.rmtree(sys.argv[1], ignore_errors=True)


if __name__ == "__main__":
    main()
