"""Training data in random order."""

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.loop import loader_call
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, expression, with_argument
from traindx.changes.types import ChangeSpec
from traindx.facts import LOADER_PLACE, SCRIPT
from traindx.run import Run


def edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Let the loader of the training data shuffle."""
    call = loader_call(source, run)
    for name in ("sampler", "batch_sampler"):
        if argument(call, (name,)) is not None:
            raise RefusedError(f"a {name} orders the data at {source.place(call)}")
    given = argument(call, ("shuffle",), 2)
    if given is None:
        return Edited({call: with_argument(call, "shuffle", "True")}, f"shuffle=True at {source.place(call)}")
    code = source.code(given.value)
    if code == "True":
        raise RefusedError(f"the data is shuffled already at {source.place(given)}")
    if code != "False":
        raise RefusedError(f"whether the data is shuffled at {source.place(given)} is computed: {code}")
    new = given.with_changes(value=expression("True"))
    return Edited({given: new}, f"shuffle=False -> shuffle=True at {source.place(given)}")


EDIT = Edit(name="loader.shuffle", edit=edit, where=(LOADER_PLACE, SCRIPT))
