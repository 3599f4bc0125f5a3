"""What enters a model made otherwise, where its data has no name of its own."""

from collections.abc import Callable, Sequence

import libcst as cst

from traindx.changes.source.edit import New, RefusedError
from traindx.changes.source.imports import imported
from traindx.changes.source.loader import loader_call
from traindx.changes.source.loop import backward_of, is_visible, loop_around
from traindx.changes.source.optimizer import optimizer_call, parameters_of, target_of
from traindx.changes.source.source import Source
from traindx.changes.source.statements import before
from traindx.run import Run

_ALL = "inputs"
"""How the training inputs are called in what is written before."""


def entered(
    source: Source, run: Run, first: Sequence[str], became: Callable[[str], str], why: RefusedError
) -> tuple[dict[cst.CSTNode, New], str]:
    """A hook before the model that makes of its input what `became` says; and where it is put.

    The statements in `first` may read all training inputs as `inputs`. `why` says what was wrong with the
    plainer way, and is raised where this one is not certain either.
    """
    try:
        optimizer = optimizer_call(source, run)
        model = parameters_of(source, optimizer)
        texts = [*_gathered(source, run, optimizer), *first] if first else []
    except RefusedError:
        raise why from None
    if not model.isidentifier() or is_visible(source, _ALL, source.scope(optimizer)):
        raise why
    hook = f"{model}.register_forward_pre_hook(lambda _, args: ({became('args[0]')}, *args[1:]))"
    return before(source, optimizer, *texts, hook), source.place(optimizer)


def _gathered(source: Source, run: Run, optimizer: cst.Call) -> list[str]:
    """All inputs of the loader of the training data, put together."""
    loader = loader_call(source, run)
    name = target_of(source, loader)
    loop = loop_around(source, backward_of(source, run))
    pairs = isinstance(loop, cst.For) and isinstance(loop.target, cst.Tuple)
    over = isinstance(loop, cst.For) and source.code(loop.iter) == name
    early = source.scope(loader) is source.scope(optimizer) and (
        source.lines(loader)[0] < source.lines(optimizer)[0]
    )
    if not (name and pairs and over and early):
        raise RefusedError(f"the inputs at {source.place(loader)} cannot be gathered")
    return [f"{_ALL} = {imported(source, 'torch.cat', 'torch')}([batch[0] for batch in {name}])"]
