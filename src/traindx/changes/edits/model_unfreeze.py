"""All parameters learn."""

import libcst as cst

from traindx.changes.source.edit import Edit, Edited, New, RefusedError
from traindx.changes.source.model import freezing
from traindx.changes.source.source import Source
from traindx.changes.source.statements import removed
from traindx.changes.types import ChangeSpec
from traindx.facts import MODEL_PLACE, SCRIPT
from traindx.run import Run


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take the statement out that freezes parameters."""
    found = freezing(source)
    if not found:
        raise RefusedError(f"{source.shown} holds no statement that freezes parameters")
    if len(found) > 1:
        places = " and ".join(source.place(one) for one in found)
        raise RefusedError(f"parameters are frozen at {len(found)} places: {places}")
    code = " ".join(source.code(found[0]).split())
    parts: dict[cst.CSTNode, New] = removed(source, found[0])
    return Edited(parts, f"{code} removed at {source.place(found[0])}")


EDIT = Edit(name="model.unfreeze", edit=edit, where=(MODEL_PLACE, SCRIPT))
