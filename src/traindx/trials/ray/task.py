"""What a node does for an arm: unpacks the working directory, runs the program, sends back what it left.

Of other packages it needs ray alone; the program needs what it always needs, and numpy for its recorder.
"""

import io
import os
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

import traindx
from traindx.errors import TraindxError
from traindx.recorder.launch.command import Command
from traindx.trials.program import ArmSpec, run_program
from traindx.trials.ray.watchdog import OVER
from traindx.trials.workspace import moved

SHARED = ".shared"
"""In the folder of an arm: a word by which a node knows that it sees the same disk."""


@dataclass(frozen=True)
class Sent:
    """What all arms need."""

    origin: Path
    """The project, where the command was given."""
    files: bytes | None
    """Its files; None where they are too many, so that the program has to run in it as it is."""
    word: str
    carried: Mapping[str, str]
    """Variables of the environment that go with the program."""
    inside: str = os.curdir
    """The working directory as seen from the top of the project."""


@dataclass(frozen=True)
class Begun:
    """The first word of a task."""

    node: str
    host: str
    worker: int


@dataclass(frozen=True)
class Returned:
    """The second."""

    begun: Begun
    """Where it ended, which is elsewhere where a worker was lost."""
    code: int | None = None
    seconds: float = 0.0
    place: str = ""
    """The working directory on the node."""
    files: bytes = b""
    weights: bytes | None = None
    refused: str = ""
    """Why the node could not run it."""


def run_arm(order: ArmSpec, sent: Sent) -> Iterator[Begun | Returned]:
    """Say where the arm begins, run it, and give back its folder."""
    import ray

    begun = Begun(ray.get_runtime_context().get_node_id(), socket.gethostname(), os.getpid())
    yield begun
    home = Path(tempfile.mkdtemp(prefix="traindx-")).resolve()
    with _kept(home) as keep:
        try:
            returned = ran(order, sent, begun, home, keep)
        except OSError as error:
            returned = Returned(begun, refused=f"{begun.host}: {error.strerror}: {error.filename}")
        finally:
            shutil.rmtree(home, ignore_errors=True)
    # Not before the folder is gone: a worker may be ended as soon as it has given its last word.
    yield returned


def packed(files: Iterable[tuple[Path, str]]) -> bytes:
    """Files under the names they are to have, with their modes and times; links as what they point at."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", dereference=True) as archive:
        for path, name in files:
            archive.add(path, name, recursive=False)
    return content.getvalue()


def unpacked(content: bytes, into: Path) -> None:
    """Write the files below a folder; refused before any is written where one would come to lie elsewhere."""
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        members = archive.getmembers()
        for member in members:
            name = PurePosixPath(member.name)
            if not member.isreg() or name.is_absolute() or ".." in name.parts or not name.parts:
                raise TraindxError(
                    f'a node sent "{member.name}", not a file of a trial run; nothing was kept'
                )
        for member in members:
            target = into / member.name
            target.parent.mkdir(parents=True, exist_ok=True)
            source = archive.extractfile(member)
            assert source is not None
            with source, target.open("wb") as file:
                shutil.copyfileobj(source, file)
            target.chmod(0o600 | member.mode & 0o777)
            os.utime(target, (member.mtime, member.mtime))


def ran(
    order: ArmSpec, sent: Sent, begun: Begun, home: Path, keep: Callable[[int], None] = lambda group: None
) -> Returned:
    """Run the arm in a folder of this node, and gather what it left there.

    `keep` is told the group of the program's processes, and 0 when they have ended.
    """
    folder, top, weights = home / "arm", home / "work", home / "weights"
    folder.mkdir()
    (top / sent.inside).mkdir(parents=True)
    if sent.files is not None:
        unpacked(sent.files, top)
    elif _is_shared(order.folder, sent.word):
        top = sent.origin
    else:
        why = "is too large to send and not visible on this node; keep data outside of it"
        return Returned(begun, refused=f"{begun.host}: the working directory {sent.origin} {why}")
    for name, content in order.replaced:
        (top / name).write_bytes(content)
    path = top / sent.inside
    here = replace(
        order,
        folder=folder,
        place=path,
        command=_command(order.command, sent.origin, top),
        moved=None if top == sent.origin else (sent.origin, top),
        saves=weights if order.saves else None,
    )
    try:
        ended = run_program(here, _environment(sent, top), started=keep)
    finally:
        keep(0)
    return Returned(
        begun,
        ended.code,
        ended.seconds,
        str(path),
        packed((path, path.relative_to(folder).as_posix()) for path in folder.rglob("*") if path.is_file()),
        weights.read_bytes() if weights.is_file() else None,
    )


def _is_shared(folder: Path, word: str) -> bool:
    try:
        return (folder / SHARED).read_text() == word
    except OSError:
        return False


def _command(command: Command, origin: Path, path: Path) -> Command:
    """The command as this node can start it: its paths below the copy, its Python where it has another."""
    program = _program(command)
    words = [moved(word, origin, path) for word in command.words[1:]]
    # Python finds its packages by the name it is called by.
    called = command.words[0] if shutil.which(command.words[0]) == program else program
    return Command(program, (called, *words))


def _program(command: Command) -> str:
    if os.access(command.program, os.X_OK):
        return command.program
    if os.path.basename(command.program).startswith("python"):
        return sys.executable
    return shutil.which(command.words[0]) or command.program


def _environment(sent: Sent, folder: Path) -> dict[str, str]:
    """That of the node, without what Ray added to it."""
    added = str(Path(traindx.__file__).parents[1])
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("RAY_") and name != "OMP_NUM_THREADS"
    }
    kept |= sent.carried
    paths = [
        moved(path, sent.origin, folder)
        for path in kept.pop("PYTHONPATH", "").split(os.pathsep)
        if path and path != added
    ]
    return kept | ({"PYTHONPATH": os.pathsep.join(paths)} if paths else {})


@contextmanager
def _kept(home: Path) -> Iterator[Callable[[int], None]]:
    """Somebody who ends the program and removes its folder, should this worker be ended in between."""
    watchdog = subprocess.Popen(  # noqa: S603  # our own file
        [sys.executable, "-I", "-S", str(Path(__file__).with_name("watchdog.py")), str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    watchdog.wait()
    assert watchdog.stdin is not None

    def tell(word: object) -> None:
        assert watchdog.stdin is not None
        watchdog.stdin.write(f"{word}\n")
        watchdog.stdin.flush()

    try:
        yield tell
    finally:
        tell(OVER)
        watchdog.stdin.close()
