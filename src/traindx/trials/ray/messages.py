"""What our side and the driver say to each other: a line of JSON for each word."""

from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TypeVar

import msgspec

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
    workspace: Workspace
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
    """Arms that the cluster can run in parallel."""
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
