"""`traindx ask` on a terminal of its own."""

import os
import pty
import re
import select
import signal
import sys
from pathlib import Path

import pytest


def test_a_real_terminal_is_asked_and_ctrl_d_ends_it(tmp_path: Path) -> None:
    shown, code = on_a_terminal(tmp_path, b"4\n", b"3\n", b"clean\n", b"\x04")
    text = re.sub(r"\x1b\[[\d;]*m", "", shown)
    assert "1  What do you see?" in text
    assert "2  When did the loss become NaN or infinite?" in text
    assert "▲ +" in text
    assert "Stopped here; the result so far:" in text
    assert re.search(r"(?m)^LIKELY +\w", text.split("Stopped here")[1])
    assert "Traceback" not in text
    assert code == 0


def test_ctrl_c_on_a_real_terminal_ends_it_too(tmp_path: Path) -> None:
    shown, code = on_a_terminal(tmp_path, b"7\n", b"\x03")
    assert "Stopped here; the result so far:" in shown
    assert "Traceback" not in shown
    assert code == 0


def on_a_terminal(cwd: Path, *typed: bytes) -> tuple[str, int]:
    """What a pseudo-terminal shows, with something typed at each prompt."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(cwd)
        os.environ["COLUMNS"] = "100"
        os.execv(sys.executable, [sys.executable, "-m", "traindx", "ask"])
    shown, left, silent = b"", list(typed), 0
    while True:
        ready, _, _ = select.select([terminal], [], [], 5)
        try:
            piece = os.read(terminal, 65536) if ready else b""
        except OSError:
            break
        if ready and not piece:
            break
        shown += piece
        silent = 0 if piece else silent + 1
        if silent > 12:
            os.kill(child, signal.SIGKILL)
            pytest.fail(f"it waits for something else than a prompt: {shown.decode()}")
        if silent and not left:
            # A key that is pressed while the terminal changes its mode may be lost.
            os.write(terminal, typed[-1])
        elif left and (silent or re.sub(rb"\x1b\[[\d;?]*[A-Za-z]", b"", shown).endswith(b"> ")):
            os.write(terminal, left.pop(0))
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return shown.decode(), os.waitstatus_to_exitcode(status)
