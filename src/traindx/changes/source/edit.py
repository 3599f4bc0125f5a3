"""The types of an edit on the shelf and of what it gives."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import libcst as cst

from traindx.changes.source.source import Source
from traindx.changes.types import ChangeSpec
from traindx.errors import TraindxError
from traindx.run import Fact, Run


@dataclass(frozen=True)
class Around:
    """Statements that come to stand before and behind a statement."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


New = cst.CSTNode | cst.RemovalSentinel | Around
Parts = Mapping[cst.CSTNode, New]


class RefusedError(TraindxError):
    """Why a change cannot be written into source, as a sentence."""


@dataclass(frozen=True)
class Edited:
    """Which parts of a source become what."""

    parts: Parts
    says: str
    """What is edited and where: "lr=2.0 -> lr=0.02 at train.py:31"."""


@dataclass(frozen=True)
class Edit:
    """How one change is written into source."""

    name: str
    """As a change names it: "optimizer.lr"."""
    edit: Callable[[Source, ChangeSpec, Run], Edited]
    """Raises `RefusedError` where the source does not say clearly enough what to edit."""
    where: tuple[Fact, ...]
    """Places that lie in the file to edit; the first that the run knows counts."""
