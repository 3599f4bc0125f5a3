"""Another optimizer."""

from traindx.changes.source.edit import Edit, Edited, RefusedError
from traindx.changes.source.optimizer import is_keras, optimizer_call, twin_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    argument,
    expression,
    last_name,
    number_text,
    with_argument,
    without_arguments,
)
from traindx.changes.types import ChangeSpec
from traindx.facts import OPTIMIZER_PLACE, SCRIPT
from traindx.run import Run

_KINDS = {"adamw": ("AdamW", 1e-3, {}), "adam": ("Adam", 1e-3, {}), "sgd": ("SGD", 0.05, {"momentum": "0.9"})}
"""Class, usual rate and what else is usual."""
_FOREIGN = {
    "AdamW": "momentum nesterov dampening alpha centered rho etas step_sizes lr_decay",
    "Adam": "momentum nesterov dampening alpha centered rho etas step_sizes lr_decay",
    "SGD": "betas eps amsgrad alpha centered rho etas step_sizes lr_decay momentum",
}
"""Arguments of other optimizers that a class does not know, or that are set anew."""


def edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Exchange the class, set its rate, and leave out what it does not know."""
    kind = change.words[0].lower() if change.words else ""
    if kind not in _KINDS:
        raise RefusedError(f'"{change}": the optimizers are {", ".join(_KINDS)}')
    name, usual, extra = _KINDS[kind]
    rate = number_text(float(change.words[1]) if len(change.words) > 1 else usual)
    call = optimizer_call(source, run)
    if last_name(call.func) == name or is_keras(call, source):
        raise RefusedError(f"{source.code(call.func)} at {source.place(call)} cannot be exchanged for {name}")
    if (
        not call.args
        or sum(1 for one in call.args if not one.keyword) > 2
        or any(one.star for one in call.args)
    ):
        raise RefusedError(
            f"the arguments at {source.place(call)} go by place; which are kept cannot be told"
        )
    if '"lr"' in source.code(call.args[0]) or "'lr'" in source.code(call.args[0]):
        raise RefusedError(f"groups of parameters have rates of their own at {source.place(call)}")
    foreign = _FOREIGN[name].split()
    if last_name(call.func) == "AdamW":
        # A decay apart from the gradient would be a far stronger penalty in it.
        foreign.append("weight_decay")
    new = without_arguments(twin_of(source, call, name, "torch.optim"), foreign)
    given = argument(new, ("lr",), 1)
    if given is None:
        new = with_argument(new, "lr", rate)
    else:
        new = new.with_changes(
            args=[one.with_changes(value=expression(rate)) if one is given else one for one in new.args]
        )
    for key, text in extra.items():
        new = with_argument(new, key, text)
    says = f"{source.code(call)} -> {source.code(new)} at {source.place(call)}"
    return Edited({call: new}, says)


EDIT = Edit(name="optimizer.use", edit=edit, where=(OPTIMIZER_PLACE, SCRIPT))
