"""What traindx itself wrote, which may lie among a user's logs: experiments of its own, and reports."""

import os
import re
import sqlite3
from pathlib import Path
from typing import Annotated

from traindx.facts import EXPERIMENT
from traindx.readers.binary.recording_file import meta_in
from traindx.readers.binary.recording_format import SUFFIX
from traindx.readers.binary.sqlite import opened
from traindx.readers.types import Source

_NEAR: Annotated[int, "folders from the one that was named to the recording: a-1/control of treatments"] = 2
_REPORT = re.compile(rb'\s*\{\s*"schema":\s*"traindx\.\w+/\d+"|# traindx: ')
"""How every document begins that traindx writes as data, and every diagnosis that it writes as Markdown."""


def is_report(source: Source) -> bool:
    """Whether a file is what a command of traindx wrote with --json or --md."""
    return _REPORT.match(source.head) is not None


def is_hidden_experiment(source: Source, top: str) -> bool:
    """Whether it records what traindx tried, deep below a folder that was named for other things.

    Arms of treatments, rehearsals and searches for a rate say so of themselves, wherever they lie.
    """
    path = Path(source.path)
    if path.suffix != SUFFIX or len(Path(os.path.relpath(path, top)).parts) - 1 <= _NEAR:
        return False
    try:
        with opened(source) as connection:
            return EXPERIMENT.slug in meta_in(connection)
    except (sqlite3.Error, OSError):
        return False
