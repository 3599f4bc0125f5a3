"""What a loss is given: logits, probabilities or logarithms, each as it expects them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from traindx.changes import cst, nn, torch
from traindx.changes.live.keras_program import (
    CROSS_ENTROPIES,
    KerasCall,
    KerasLoss,
    KerasProgram,
    kind_of,
    takes_scores,
    twin,
)
from traindx.changes.live.program import Loss, Program
from traindx.changes.source.literal import added, exchanged
from traindx.changes.source.loss import last_activation, loss_of, made_by, without_activation
from traindx.changes.source.optimizer import argument_of_compile, exchanged_class
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import argument, calls_of, imported, last_name, number_of, text_of
from traindx.changes.types import (
    BY_ERRORS,
    TORCH_LOSSES_ONLY,
    Change,
    ChangeSpec,
    Edited,
    RefusedError,
)
from traindx.facts import KL_INPUT, LOSS_FUNCTION, LOSS_PLACE, MODEL_PLACE, OUTPUT_ACTIVATION, SCRIPT
from traindx.run import Run

_FROM_LOGITS = "from_logits"
_SETTINGS = ("weight", "reduction", "ignore_index")
_TWINS = {
    "BCELoss": "BCEWithLogitsLoss",
    "NLLLoss": "CrossEntropyLoss",
    "binary_cross_entropy": "binary_cross_entropy_with_logits",
    "nll_loss": "cross_entropy",
}


def _torch_from_scores(program: Program, change: ChangeSpec) -> None:
    """Exchange a loss on probabilities for its twin on scores wherever it is given scores."""

    def on_scores(twin: Loss, cannot_be: Callable[[float, float], bool]) -> Loss:
        known = False

        def loss(
            original: Loss, value: torch.Tensor, target: torch.Tensor, **settings: object
        ) -> torch.Tensor:
            nonlocal known
            # Once they were not what the loss wants, the model gives scores.
            known = known or cannot_be(float(value.detach().min()), float(value.detach().max()))
            if not known:
                return original(value, target, **settings)
            program.applied(change, f"{original.__name__} on logits replaced by {twin.__name__}")
            kept = {name: value for name, value in settings.items() if name in _SETTINGS}
            return twin(value, target, **kept)

        return loss

    # Probabilities lie between 0 and 1, their logarithms below 0.
    yes_no = on_scores(nn.functional.binary_cross_entropy_with_logits, lambda low, high: low < 0 or high > 1)
    classes = on_scores(nn.functional.cross_entropy, lambda _, high: high > 0)
    # In validation as well: there the program would stop just the same.
    program.replace_losses(("binary_cross_entropy",), yes_no, while_validating=True)
    program.replace_losses(("nll_loss",), classes, while_validating=True)


def _keras_from_scores(program: KerasProgram, change: ChangeSpec) -> None:
    """Tell a cross-entropy that it is given logits wherever it is."""
    are_scores = False

    def compute(original: KerasLoss, call: KerasCall) -> torch.Tensor:
        nonlocal are_scores
        kind = kind_of(call.loss)
        if kind not in CROSS_ENTROPIES or takes_scores(call.loss):
            program.refuse(change, f"{kind} does not expect probabilities")
            return original(call)
        # Once they were no probabilities, the model gives scores.
        are_scores = are_scores or bool(((call.given < 0) | (call.given > 1)).any())
        if not are_scores:
            return original(call)
        program.applied(change, f"{kind} gets from_logits=True")
        return original(replace(call, loss=twin(call.loss, from_logits=True)))

    # In validation as well: the loss of scores taken for probabilities says nothing.
    program.replace_losses(compute, while_validating=True)


def _edit_from_scores(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Exchange a loss on probabilities for its twin on scores, or tell one of Keras that it gets scores."""
    compiled = argument_of_compile(source, "loss", 1)
    if compiled is not None:
        return _edit_keras(source, compiled)
    made = loss_of(source, run).made
    name = last_name(made.func)
    if name not in _TWINS:
        raise RefusedError(f"{source.callee(made)} does not expect probabilities")
    module = "torch.nn" if name.endswith("Loss") else "torch.nn.functional"
    return exchanged_class(source, made, _TWINS[name], module)


def _edit_keras(source: Source, loss: cst.Arg) -> Edited:
    text = text_of(loss.value)
    if text in CROSS_ENTROPIES:
        made = f"{imported(source, f'keras.losses.{_classes()[text]}')}({_FROM_LOGITS}=True)"
        return exchanged(source, loss, made, "loss")
    call = made_by(source, loss.value, _classes().values())
    if call is None:
        raise RefusedError(f"{source.code(loss.value)} at {source.place(loss)} does not expect probabilities")
    arg = argument(call, (_FROM_LOGITS,), 0)
    if arg is not None:
        return exchanged(source, arg, "True", _FROM_LOGITS)
    return added(source, call, _FROM_LOGITS, "True")


def _classes() -> dict[str, str]:
    """The class of each cross-entropy of Keras."""
    return {name: "".join(map(str.capitalize, name.split("_"))) for name in CROSS_ENTROPIES}


FROM_SCORES = Change(
    name="loss.from_scores",
    label="loss on logits",
    says="replace a loss on probabilities by the one on logits if it gets logits",
    torch=_torch_from_scores,
    keras=_keras_from_scores,
    edit=_edit_from_scores,
    edited_file=(LOSS_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
)


_SQUASHING = ("cross_entropy", "binary_cross_entropy_with_logits")
_HALF = 0.5
_SAYS = "the loss gets the logits before the softmax or sigmoid"


def _torch_remove_softmax(program: Program, change: ChangeSpec) -> None:
    """Give the loss function what entered the softmax or sigmoid before it."""
    scores = torch.utils.weak.WeakIdKeyDictionary()

    def squash(
        original: Callable[..., torch.Tensor], value: torch.Tensor, *args: object, **kwargs: object
    ) -> torch.Tensor:
        squashed = original(value, *args, **kwargs)
        if isinstance(squashed, torch.Tensor) and squashed.requires_grad:
            scores[squashed] = value
        return squashed

    def loss(original: Loss, value: torch.Tensor, target: torch.Tensor, **settings: object) -> torch.Tensor:
        raw = scores.get(value)
        if raw is None and _is_reshaped(value):
            # squeeze(1), view(-1) and the like stand between the two.
            raw = scores.get(value._base)
            raw = None if raw is None else raw.reshape(value.shape)
        if raw is None:
            return original(value, target, **settings)
        program.applied(change, _SAYS)
        return original(raw, target, **settings)

    for name in ("softmax", "sigmoid"):
        program.wrap_function(name, squash)
    program.replace_losses(_SQUASHING, loss)


def _is_reshaped(prediction: torch.Tensor) -> bool:
    """Whether a tensor is all of another one in the same order."""
    base = prediction._base
    return (
        base is not None
        and base.numel() == prediction.numel()
        and base.is_contiguous()
        and prediction.is_contiguous()
    )


def _keras_remove_softmax(program: KerasProgram, change: ChangeSpec) -> None:
    """Give a cross-entropy of scores what entered the softmax or sigmoid before it."""

    def compute(original: KerasLoss, call: KerasCall) -> torch.Tensor:
        # Keras notes down on what it squashed what that was.
        raw = vars(call.given).get("_keras_logits")
        squashes = kind_of(call.loss) in CROSS_ENTROPIES and takes_scores(call.loss)
        if not squashes or not isinstance(raw, torch.Tensor):
            program.refuse(change, "no softmax or sigmoid before a loss on logits")
            return original(call)
        program.applied(change, _SAYS)
        return original(replace(call, given=raw))

    program.replace_losses(compute)


def _edit_remove_softmax(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take the softmax or sigmoid away that stands before a loss that applies it itself."""
    loss = run.facts.get(LOSS_FUNCTION)
    if loss is not None and loss not in _SQUASHING:
        raise RefusedError(f"{loss} does not apply softmax or sigmoid itself")
    last = last_activation(source, run, ("softmax", "sigmoid"))
    halved = next((node for node in source.nodes(source.module) if _is_halving(node)), None)
    if halved is not None and "sigmoid" in (last.kind, run.facts.get(OUTPUT_ACTIVATION)):
        raise RefusedError(
            f"the output is compared with 0.5, which must be 0 for logits, {source.place(halved)}"
        )
    return without_activation(source, last)


def _is_halving(node: cst.CSTNode) -> bool:
    """Whether numbers are told apart at one half: x > 0.5, x.round()."""
    if isinstance(node, cst.ComparisonTarget):
        is_order = isinstance(
            node.operator, cst.LessThan | cst.LessThanEqual | cst.GreaterThan | cst.GreaterThanEqual
        )
        return is_order and number_of(node.comparator) == _HALF
    return (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and last_name(node.func) == "round"
    )


REMOVE_SOFTMAX = Change(
    name="loss.remove_softmax",
    label="remove softmax",
    says="pass logits to a loss that applies softmax or sigmoid itself",
    torch=_torch_remove_softmax,
    keras=_keras_remove_softmax,
    edit=_edit_remove_softmax,
    edited_file=(MODEL_PLACE, LOSS_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
)


def _torch_log_input(program: Program, change: ChangeSpec) -> None:
    """Take the logarithm of probabilities, which are above 0 and so no logarithms."""

    def loss(original: Loss, value: torch.Tensor, target: torch.Tensor, **settings: object) -> torch.Tensor:
        low, high = (float(end) for end in value.detach().aminmax())
        if not 0 <= low <= high or high == 0:
            program.refuse(change, "kl_div is given logarithms")
            return original(value, target, **settings)
        program.applied(change, "kl_div gets the logarithm of its input")
        return original(value.clamp_min(torch.finfo(value.dtype).tiny).log(), target, **settings)

    program.replace_losses(("kl_div",), loss, while_validating=True)


def _edit_log_input(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Take the logarithm in the call."""
    largest = run.facts.get(KL_INPUT)
    if not isinstance(largest, int | float) or largest <= 0:
        raise RefusedError("kl_div was not seen with probabilities")
    calls = calls_of(source, {"kl_div"})
    if len(calls) != 1:
        raise RefusedError(f"{source.shown} calls kl_div {len(calls)} times")
    arg = argument(calls[0], ("input",), 0)
    if arg is None:
        raise RefusedError(f"the input of kl_div is not written at {source.place(calls[0])}")
    return exchanged(source, arg, f"{source.operand(arg.value)}.log()")


LOG_INPUT = Change(
    name="loss.log_input",
    label="log-probabilities",
    says="take the logarithm of the probabilities that kl_div is given",
    torch=_torch_log_input,
    keras=TORCH_LOSSES_ONLY,
    edit=_edit_log_input,
    edited_file=(LOSS_PLACE, SCRIPT),
    compared_by=BY_ERRORS,
)
