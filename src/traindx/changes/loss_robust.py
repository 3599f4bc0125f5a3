"""A loss that trusts labels less."""

from __future__ import annotations

from traindx.changes import torch
from traindx.changes.live.program import Loss, Program, learned_from
from traindx.changes.source.loss import loss_of
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import expression, imported, number_text
from traindx.changes.types import BY_ERRORS, TORCH_LAYERS_ONLY, Change, ChangeSpec, Edited, RefusedError
from traindx.errors import TraindxError
from traindx.facts import LOSS_PLACE, SCRIPT
from traindx.run import Run

_LEAST = 1e-7


def _torch(program: Program, change: ChangeSpec) -> None:
    """Learn from the generalized cross-entropy, (1 - p^q) / q; the loss is shown as it was.

    Zhang and Sabuncu 2018: q near 0 is the cross-entropy, q = 1 the mean absolute error.
    """
    q = change.number
    if not 0 < q <= 1:
        raise TraindxError(
            f'"{change}": q must be greater than 0 and at most 1, for example: loss.robust 0.7'
        )

    def loss(original: Loss, given: torch.Tensor, target: torch.Tensor, **settings: object) -> torch.Tensor:
        shown = original(given, target, **settings)
        if target.is_floating_point() or given.dim() < 2 or settings.get("reduction") == "none":
            return shown
        program.applied(change, f"generalized cross-entropy with q={q:g}")
        known = target != settings.get("ignore_index", -100)
        chosen = torch.softmax(given, 1).gather(1, target.clamp_min(0).unsqueeze(1)).squeeze(1)[known]
        learned = (1 - chosen.clamp_min(_LEAST) ** q) / q
        total = learned.sum() if settings.get("reduction") == "sum" else learned.mean()
        return learned_from(shown, total)

    program.replace_losses(("cross_entropy",), loss)


def _edit(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Write the generalized cross-entropy, (1 - p^q) / q, instead of the plain one."""
    loss = loss_of(source, run)
    settings = loss.made.args if loss.made is not loss.used else loss.used.args[2:]
    plain = [one for one in loss.used.args if not one.keyword and not one.star]
    if loss.function != "cross_entropy" or settings or len(plain) != len(loss.used.args[:2]):
        where = source.place(loss.made)
        raise RefusedError(f"{source.code(loss.made)} at {where} is not a plain cross-entropy over classes")
    scores, labels = (source.operand(one.value) for one in plain)
    q = number_text(change.number)
    softmax = imported(source, "torch.softmax", "torch")
    chosen = f"{softmax}({scores}, 1).gather(1, {labels}.unsqueeze(1)).clamp_min(1e-7)"
    new = expression(f"((1 - {chosen} ** {q}) / {q}).mean()")
    says = f"{source.code(loss.used)} -> {source.module.code_for_node(new)} at {source.place(loss.used)}"
    return Edited({loss.used: new}, says)


CHANGE = Change(
    name="loss.robust",
    label="robust loss, q={}",
    forms=("loss.robust 0.7",),
    says="use generalized cross-entropy, which is robust to label noise",
    torch=_torch,
    keras=TORCH_LAYERS_ONLY,
    edit=_edit,
    edited_file=(LOSS_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
)
