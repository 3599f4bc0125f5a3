"""What a program prints is read on its way, and gets where it would get without us."""

import os
import pty
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path

import pytest

from traindx.recorder.launch import relay

_PATIENCE = 60
_RUN = """
import os, sys
from pathlib import Path
from traindx.recorder.launch.child import run_to_end, signals_held
from traindx.recorder.launch.command import Command
from traindx.recorder.launch.streams import Console
with signals_held() as mask, Console(Path("kept.txt"), output_to_stderr={to_stderr}) as console:
    command = Command(sys.argv[1], tuple(sys.argv[1:]))
    ending = run_to_end(command, os.environ, mask, streams=console.streams, started=console.handed_over)
sys.exit(ending.code if ending.code >= 0 else 100 - ending.code)
"""
BINARY = "import sys; sys.stdout.buffer.write(bytes(range(256)) * 4000); sys.stderr.buffer.write(b'\\xff\\n')"
INTERLEAVED = """
import sys
for i in range(500):
    print("out", i, flush=True)
    print("error", i, file=sys.stderr, flush=True)
"""


def read_through(*words: str, to_stderr: bool = False) -> list[str]:
    """The command that runs another one with streams that are read."""
    return [sys.executable, "-c", _RUN.format(to_stderr=to_stderr), *words]


def python(text: str) -> list[str]:
    return [sys.executable, "-c", text]


def kept(folder: Path) -> bytes:
    return (folder / "kept.txt").read_bytes()


def in_terminal(words: Sequence[str], folder: Path) -> tuple[bytes, int]:
    """What a terminal gets from a command, and how the command ends."""
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execv(words[0], list(words))
    shown = b""
    while select.select([terminal], [], [], _PATIENCE)[0]:
        try:
            block = os.read(terminal, 1 << 16)
        except OSError:
            break
        shown += block
    os.close(terminal)
    return shown, os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def test_bytes_pass_as_they_are(tmp_path: Path) -> None:
    done = subprocess.run(read_through(*python(BINARY)), cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout == bytes(range(256)) * 4000
    assert done.stderr == b"\xff\n"
    assert len(kept(tmp_path)) == len(done.stdout) + len(done.stderr)
    assert (tmp_path / "kept.txt").stat().st_mode & 0o777 == 0o600


def test_where_both_streams_are_one_their_order_stays(tmp_path: Path) -> None:
    expected = "".join(f"out {i}\nerror {i}\n" for i in range(500)).encode()
    done = subprocess.run(
        read_through(*python(INTERLEAVED)),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
    )
    assert done.stdout == expected
    assert kept(tmp_path) == expected


def test_lines_of_two_streams_do_not_mix_in_what_is_kept(tmp_path: Path) -> None:
    text = "import os\nfor i in range(300):\n    os.write(1, b'to out')\n    os.write(2, b'to error\\n')\n"
    text += "    os.write(1, b' on\\n')\n"
    subprocess.run(read_through(*python(text)), cwd=tmp_path, capture_output=True, check=True)
    assert sorted(kept(tmp_path).split(b"\n")) == [b"", *[b"to error"] * 300, *[b"to out on"] * 300]


def test_output_that_goes_to_standard_error_is_read_there(tmp_path: Path) -> None:
    done = subprocess.run(
        read_through(*python(INTERLEAVED), to_stderr=True), cwd=tmp_path, capture_output=True, check=True
    )
    assert done.stdout == b""
    assert done.stderr == kept(tmp_path)
    assert done.stderr.count(b"\n") == 1000


def test_a_regular_file_is_left_as_it_is_and_read_afterward(tmp_path: Path) -> None:
    text = "import os, stat\nprint(stat.S_ISREG(os.fstat(1).st_mode), stat.S_ISFIFO(os.fstat(2).st_mode))"
    out = tmp_path / "train.log"
    out.write_text("an older line\n")
    with out.open("a") as file:
        command = read_through(*python(text))
        subprocess.run(command, cwd=tmp_path, stdout=file, stderr=subprocess.PIPE, check=True)
    assert out.read_text() == "an older line\nTrue True\n"
    assert kept(tmp_path) == b"True True\n"


def test_output_that_is_thrown_away_is_read_all_the_same(tmp_path: Path) -> None:
    command = read_through(*python(INTERLEAVED))
    subprocess.run(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    assert kept(tmp_path).count(b"\n") == 1000


def test_a_stream_that_is_closed_stays_closed(tmp_path: Path) -> None:
    text = "import os\ntry: os.fstat(1)\nexcept OSError: open('done', 'w')"
    words = ["/bin/sh", "-c", '"$@" >&-', "sh", *read_through(*python(text))]
    subprocess.run(words, cwd=tmp_path, check=True)
    assert (tmp_path / "done").exists()


TERMINALS = "import os, sys; print([os.isatty(i) for i in (0, 1, 2)], os.get_terminal_size(1)); print('\\tx')"


def test_a_program_in_a_terminal_prints_as_it_does_alone(tmp_path: Path) -> None:
    alone = in_terminal(python(TERMINALS), tmp_path)
    read = in_terminal(read_through(*python(TERMINALS)), tmp_path)
    assert read == alone
    assert b"[True, True, True]" in read[0]
    assert kept(tmp_path) == alone[0].replace(b"\r\n", b"\n")


def test_only_what_is_a_terminal_becomes_one(tmp_path: Path) -> None:
    words = read_through(*python("import os; print([os.isatty(i) for i in (1, 2)])"))
    shown, code = in_terminal(["/bin/sh", "-c", '"$@" 2>errors.txt | cat', "sh", *words], tmp_path)
    assert b"[False, False]" in shown
    assert code == 0


def test_nothing_is_lost_when_the_program_is_killed(tmp_path: Path) -> None:
    text = "import os\nfor i in range(3000): os.write(1, b'line %d\\n' % i)\nos.kill(os.getpid(), 9)"
    done = subprocess.run(read_through(*python(text)), cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 100 + signal.SIGKILL
    assert done.stdout == kept(tmp_path) == b"".join(b"line %d\n" % i for i in range(3000))
    shown, _ = in_terminal(read_through(*python(text)), tmp_path)
    assert shown.endswith(b"line 2999\r\n")


@pytest.mark.parametrize(
    "text",
    [
        "import os; os.close(1); os.close(2); open('done', 'w')",
        "import os; os.dup2(2, 1); print('again'); open('done', 'w')",
        "import os; os.fork() or os._exit(0); os.execvp('sh', ['sh', '-c', 'echo new; touch done'])",
        "import os, sys; sys.stdout.close(); sys.stdout = os.fdopen(2, 'w'); print('x'); open('done', 'w')",
    ],
)
def test_a_program_may_do_with_its_streams_what_it_likes(tmp_path: Path, text: str) -> None:
    alone = subprocess.run(python(text), cwd=tmp_path, capture_output=True, check=False)
    (tmp_path / "done").unlink()
    command = read_through(*python(text))
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=_PATIENCE)
    assert (done.returncode, done.stdout, done.stderr) == (alone.returncode, alone.stdout, alone.stderr)
    assert (tmp_path / "done").exists()


def test_a_program_whose_output_nobody_reads_gets_a_broken_pipe(tmp_path: Path) -> None:
    text = "import time\nwhile True:\n    print('x', flush=True)\n    time.sleep(0.01)"
    command = subprocess.Popen(
        read_through(*python(text)), cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdout is not None
    assert command.stdout.readline() == b"x\n"
    command.stdout.close()
    assert command.wait(_PATIENCE) == 1
    assert command.stderr is not None
    assert b"BrokenPipeError" in command.stderr.read()
    command.stderr.close()


def test_a_process_that_stays_behind_can_go_on_printing(tmp_path: Path) -> None:
    words = ["sh", "-c", "(while [ ! -e go ]; do sleep 0.05; done; echo late) & echo early"]
    command = subprocess.Popen(read_through("/bin/sh", *words[1:]), cwd=tmp_path, stdout=subprocess.PIPE)
    assert command.wait(_PATIENCE) == 0
    assert kept(tmp_path) == b"early\n"
    (tmp_path / "go").touch()
    assert command.stdout is not None
    assert command.stdout.read() == b"early\nlate\n"
    command.stdout.close()


def test_a_program_goes_on_printing_when_we_are_killed(tmp_path: Path) -> None:
    text = "import os, time\nprint('begun', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.05)\n"
    text += "print('over')"
    command = subprocess.Popen(read_through(*python(text)), cwd=tmp_path, stdout=subprocess.PIPE)
    assert command.stdout is not None
    assert command.stdout.readline() == b"begun\n"
    command.kill()
    command.wait()
    (tmp_path / "go").touch()
    assert command.stdout.read() == b"over\n"
    command.stdout.close()
    assert kept(tmp_path) == b"begun\nover\n"


def test_the_program_sees_the_size_of_the_terminal_when_it_changes(tmp_path: Path) -> None:
    import fcntl

    ours, theirs = pty.openpty()
    text = "import os, time\nprint('ready', flush=True)\nwhile os.get_terminal_size(1).columns != 123: "
    text += "time.sleep(0.02)\nprint('seen')"
    command = subprocess.Popen(read_through(*python(text)), cwd=tmp_path, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    while b"ready" not in shown:
        shown += os.read(ours, 100)
    fcntl.ioctl(ours, termios.TIOCSWINSZ, b"\x1e\0\x7b\0" + bytes(4))
    while b"seen" not in shown:
        assert select.select([ours], [], [], _PATIENCE)[0]
        shown += os.read(ours, 100)
    assert command.wait(_PATIENCE) == 0
    os.close(ours)


def test_the_last_part_is_kept_from_a_whole_line_on(tmp_path: Path) -> None:
    tail = relay.Tail(str(tmp_path / "kept.txt"), 1000)
    lines = [b"line %05d\n" % number for number in range(500)]
    for line in lines:
        tail.add(line)
    assert 500 <= len(kept(tmp_path)) <= 1000
    assert b"".join(lines).endswith(b"\n" + kept(tmp_path))
    assert (tmp_path / "kept.txt").stat().st_mode & 0o777 == 0o600


def test_a_disk_that_is_full_costs_what_is_kept_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tail = relay.Tail(str(tmp_path / "kept.txt"), 1000)

    def full(*_: object) -> int:
        raise OSError("No space left on device")

    monkeypatch.setattr("traindx.recorder.launch.relay._write", full)
    tail.add(b"lost\n")
    assert kept(tmp_path) == b""


def test_much_output_arrives_whole(tmp_path: Path) -> None:
    words = python("import sys\nfor i in range(200_000): sys.stdout.write('x' * 99 + '\\n')")
    done = subprocess.run(read_through(*words), cwd=tmp_path, capture_output=True, check=True)
    assert len(done.stdout) == len(kept(tmp_path)) == 20_000_000
