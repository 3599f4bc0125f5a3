"""What our side, the driver and the nodes send each other: lines of JSON, and files as bytes."""

import io
import os
import shutil
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path, PurePosixPath
from typing import TypeVar

import msgspec

from traindx.errors import TraindxError
from traindx.trials.program import ArmSpec
from traindx.trials.workspace import Workspace

Value = TypeVar("Value")


@dataclass(frozen=True)
class Opening:
    """The first word to a driver."""

    address: str | None
    """Of a cluster; None for a Ray of its own on this machine."""
    cpus: int
    """For each arm."""
    gpus: float
    cores: int
    """Of this machine, for a Ray of its own."""
    scratch: Path
    """Where a Ray of its own keeps its files."""
    place: Workspace
    word: str
    """By which nodes know that they see the same disk."""
    carried: dict[str, str]


@dataclass(frozen=True)
class Request:
    """An arm to run."""

    number: int
    order: ArmSpec


class About(Enum):
    """What the driver tells of."""

    READY = "ready"
    REFUSED = "refused"
    """There is no cluster to run anything on."""
    LOST = "lost"
    ROOM = "room"
    WAITING = "waiting"
    ENDED = "ended"
    FAILED = "failed"
    """The arm could not be run."""


@dataclass(frozen=True)
class Told:
    """A word of the driver."""

    about: About
    number: int = 0
    """Of the arm."""
    says: str = ""
    room: int = 1
    """Arms that the cluster can run beside each other."""
    code: int | None = None
    seconds: float = 0.0
    place: Path = field(default_factory=Path)
    """The working directory that the arm had on its node."""
    is_again: bool = False
    """Whether its worker was lost, and it was run again."""


def encoded(value: object) -> bytes:
    """One line."""
    return msgspec.json.encode(value, enc_hook=str) + b"\n"


def decoded(line: bytes, kind: type[Value]) -> Value:
    """The value of one line."""
    return msgspec.json.decode(line, type=kind, dec_hook=lambda wanted, text: wanted(text))


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
                    f'a node sent "{member.name}", which is no file of an arm; nothing was kept'
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
