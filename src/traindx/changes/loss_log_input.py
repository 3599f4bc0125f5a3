"""The logarithm of what `kl_div` is given."""

from __future__ import annotations

from traindx.changes import torch
from traindx.changes.live.program import Loss, Program
from traindx.changes.source.literal import exchanged
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, calls_of
from traindx.changes.types import BY_ERRORS, Change, ChangeSpec, Edited, Refusal, RefusedError
from traindx.facts import KL_INPUT, LOSS_PLACE, SCRIPT
from traindx.run import Run


def _torch(program: Program, change: ChangeSpec) -> None:
    """Take the logarithm of probabilities, which are above 0 and so no logarithms."""

    def loss(original: Loss, given: torch.Tensor, target: torch.Tensor, **settings: object) -> torch.Tensor:
        low, high = (float(end) for end in given.detach().aminmax())
        if not 0 <= low <= high or high == 0:
            program.refuse(change, "kl_div is given logarithms")
            return original(given, target, **settings)
        program.applied(change, "kl_div gets the logarithm of its input")
        return original(given.clamp_min(torch.finfo(given.dtype).tiny).log(), target, **settings)

    program.replace_losses(("kl_div",), loss, while_validating=True)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take the logarithm in the call."""
    largest = run.facts.get(KL_INPUT)
    if not isinstance(largest, int | float) or largest <= 0:
        raise RefusedError("kl_div was not seen with probabilities")
    calls = calls_of(source, {"kl_div"})
    if len(calls) != 1:
        raise RefusedError(f"{source.shown} calls kl_div {len(calls)} times")
    given = argument(calls[0], ("input",), 0)
    if given is None:
        raise RefusedError(f"the input of kl_div is not written at {source.place(calls[0])}")
    return exchanged(source, given, f"{source.operand(given.value)}.log()")


CHANGE = Change(
    name="loss.log_input",
    label="log-probabilities",
    says="take the logarithm of the probabilities that kl_div is given",
    torch=_torch,
    keras=Refusal("works on torch losses only; this is a Keras model"),
    edit=_edit,
    edited_file=(LOSS_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
)
