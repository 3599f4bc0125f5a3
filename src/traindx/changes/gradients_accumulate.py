"""Gradients of several backward passes: cleared after each step, or gathered for it on purpose."""

from __future__ import annotations

from types import MethodType

from traindx.changes import cst, keras, nn, torch
from traindx.changes.live.keras_program import FitSettings, KerasProgram
from traindx.changes.live.program import Program, parameters_of
from traindx.changes.source.hyperparameter import Option
from traindx.changes.source.literal import added, scaled
from traindx.changes.source.loop import Step, backward_of, loop_around, refuse_taken, steps_of
from traindx.changes.source.loss import divided
from traindx.changes.source.optimizer import Keywords, told_by
from traindx.changes.source.source import Source, after, before, removed, small_statement, under
from traindx.changes.source.syntax import argument, calls_of, expression, last_name
from traindx.changes.types import Change, ChangeSpec, Edited, New, RefusedError
from traindx.facts import ACCUMULATION, BACKWARD_PLACE, SCRIPT, STEP_PLACE
from traindx.recorder.hooks.monkeypatch import Function
from traindx.run import Run


def _torch_clear_each_step(program: Program, change: ChangeSpec) -> None:
    """Drop the gradients as soon as they were used."""

    def clear(optimizer: torch.optim.Optimizer) -> None:
        program.applied(change, "gradients cleared after each step")
        for parameter in parameters_of(optimizer):
            parameter.grad = None

    program.after_step(clear)


def _keras_clear_each_step(program: KerasProgram, change: ChangeSpec) -> None:
    """Drop the gradients as soon as they were used, in a loop of the program's own."""
    fits = False

    def refuse(_: object, settings: FitSettings) -> FitSettings:
        nonlocal fits
        fits = True
        program.refuse(change, "Keras fit already clears gradients")
        return settings

    def clear(optimizer: keras.Optimizer) -> None:
        if fits:
            return
        program.applied(change, "gradients cleared after each step")
        for variable in optimizer._trainable_variables:
            variable._value.grad = None

    program.on_fit(refuse)
    program.stepping.after_step(clear)


def _edit_clear_each_step(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Clear before the backward pass; behind the step where gradients of several passes are added up."""
    step, *others = steps_of(source, run)
    if others:
        raise RefusedError(f"{step.optimizer}.step() is called in {len(others) + 1} places, ambiguous")
    backward = backward_of(source, run)
    clear = f"{step.optimizer}.zero_grad()"
    block, other = _block(source, backward), _block(source, step.call)
    cleared = calls_of(source, {"zero_grad"}, block) if block else []
    if cleared:
        raise RefusedError(f"gradients are already cleared at {source.place(cleared[0])}")
    passes = calls_of(source, {"backward"}, block) if block else []
    if block is not None and block is other and len(passes) == 1:
        says = f"{clear} before {source.code(backward)} at {source.place(backward)}"
        return Edited(before(source, backward, clear), says)
    return Edited(
        after(source, step.call, clear),
        f"{clear} after {source.code(step.call)} at {source.place(step.call)}",
    )


def _block(source: Source, call: cst.Call) -> cst.CSTNode | None:
    """The block of statements a call stands in."""
    for node in source.around(small_statement(source, call)):
        if isinstance(node, cst.IndentedBlock | cst.SimpleStatementSuite | cst.Module):
            return node
    return None


CLEAR_EACH_STEP = Change(
    name="gradients.clear_each_step",
    label="zero_grad after each step",
    says="clear gradients after each optimizer step",
    torch=_torch_clear_each_step,
    keras=_keras_clear_each_step,
    edit=_edit_clear_each_step,
    edited_file=(BACKWARD_PLACE, STEP_PLACE, SCRIPT),
)


_COUNT = "batch_index"
_KEYWORDS = Keywords(
    "gradient_accumulation_steps", "accumulate_grad_batches", ("gradient_accumulation_steps",)
)


def _torch_accumulate(program: Program, change: ChangeSpec) -> None:
    """Take only each so many-th step, with the mean of the gradients in between."""
    batches = max(1, round(change.number))
    gathers = False

    def init(original: Function, optimizer: torch.optim.Optimizer, *args: object, **kwargs: object) -> None:
        nonlocal gathers
        original(optimizer, *args, **kwargs)
        gathers = True
        program.applied(change, f"each step uses the mean gradient of {batches} batches")
        _gather(optimizer, batches)

    def backward(
        original: Function,
        loss: torch.Tensor,
        gradient: torch.Tensor | None = None,
        *args: object,
        **kwargs: object,
    ) -> object:
        # Keras' optimizers take the mean by themselves.
        if gathers and gradient is None and loss.numel() == 1:
            gradient = loss.new_full(loss.shape, 1 / batches)
        return original(loss, gradient, *args, **kwargs)

    def zero_grad(original: Function, *args: object, **kwargs: object) -> object:
        # Many programs clear by the model: what is gathered waits for the step all the same.
        return None if gathers else original(*args, **kwargs)

    program.patches.wrap(torch.optim.Optimizer, "__init__", init)
    program.patches.wrap(nn.Module, "zero_grad", zero_grad)
    program.patches.wrap(torch.Tensor, "backward", backward)


def _gather(optimizer: torch.optim.Optimizer, batches: int) -> None:
    """Let all but each so many-th call of `step` and `zero_grad` do nothing."""
    calls = 0
    step, clear = type(optimizer).step, type(optimizer).zero_grad

    def gathering(self: torch.optim.Optimizer, closure: object = None) -> object:
        nonlocal calls
        calls += 1
        if calls % batches:
            return closure() if callable(closure) else None
        done = step(self, closure)
        clear(self)
        return done

    def kept(self: torch.optim.Optimizer, set_to_none: bool = True) -> None:
        """Wait for the step."""

    optimizer.step = MethodType(gathering, optimizer)
    optimizer.zero_grad = MethodType(kept, optimizer)


def _keras_accumulate(program: KerasProgram, change: ChangeSpec) -> None:
    """Let the optimizer take only each so many-th step, with the mean of the gradients in between."""
    batches = round(change.number)

    def gather(optimizer: keras.Optimizer) -> None:
        if batches < 2:
            program.refuse(change, "each step already uses the gradient of one batch")
            return
        program.applied(change, f"each step uses the mean gradient of {batches} batches")
        optimizer.gradient_accumulation_steps = batches

    program.stepping.on_optimizer(gather)


def _edit_accumulate(source: Source, change: ChangeSpec, run: Run) -> Edited:
    """Let gradients of so many batches add up before each step."""
    batches = max(1, round(change.number))
    framework = told_by(source, run, _KEYWORDS)
    if framework is not None:
        return _setting(source, run, *framework, batches)
    step, *others = steps_of(source, run)
    backward = backward_of(source, run)
    loop = loop_around(source, step.call)
    if others or not isinstance(loop, cst.For) or loop_around(source, backward) is not loop:
        raise RefusedError(f"no loop with one optimizer step per batch found in {source.shown}")
    parts = _counted(source, loop)
    count = next(name for name in (_index(loop), _COUNT) if name)
    parts |= _cleared(source, loop, step)
    parts |= divided(source, backward, str(batches))
    clear = f"{step.optimizer}.zero_grad()"
    parts |= under(source, step.call, f"({count} + 1) % {batches} == 0", clear)
    where = source.place(step.call)
    return Edited(
        parts, f"{source.code(step.call)} every {batches} batches with their mean gradient, at {where}"
    )


def _setting(source: Source, run: Run, call: cst.Call, name: str, batches: int) -> Edited:
    arg = argument(call, (name,))
    if arg is not None:
        return scaled(
            source, run, "the number of batches per step", arg, lambda value: value * batches, whole=True
        )
    return added(source, call, name, str(batches))


def _index(loop: cst.For) -> str:
    """The name of the count in "for i, batch in enumerate(loader)"."""
    numbered = isinstance(loop.iter, cst.Call) and last_name(loop.iter.func) == "enumerate"
    if not numbered or not isinstance(loop.iter, cst.Call) or len(loop.iter.args) != 1:
        return ""
    first = loop.target.elements[0].value if isinstance(loop.target, cst.Tuple) else None
    return first.value if isinstance(first, cst.Name) else ""


def _counted(source: Source, loop: cst.For) -> dict[cst.CSTNode, New]:
    """A loop that counts its batches."""
    if _index(loop):
        return {}
    refuse_taken(source, source.scope(loop), _COUNT)
    target = source.code(loop.target)
    if isinstance(loop.target, cst.Tuple) and not loop.target.lpar:
        target = f"({target})"
    numbered = expression(f"({_COUNT}, {target})").with_changes(lpar=(), rpar=())
    return {loop.target: numbered, loop.iter: expression(f"enumerate({source.code(loop.iter)})")}


def _cleared(source: Source, loop: cst.For, step: Step) -> dict[cst.CSTNode, New]:
    """Gradients cleared before the loop and behind each step, no longer before each batch."""
    calls = [
        call for call in calls_of(source, {"zero_grad"}, loop) if isinstance(source.parent(call), cst.Expr)
    ]
    if len(calls) != 1:
        raise RefusedError(f"the loop at {source.place(loop)} clears gradients {len(calls)} times")
    return {**removed(source, calls[0]), **before(source, loop, f"{step.optimizer}.zero_grad()")}


ACCUMULATE = Change(
    name="gradients.accumulate",
    label="accumulate {} batches",
    forms=("gradients.accumulate 8",),
    says="step the optimizer every N batches, with their mean gradient",
    torch=_torch_accumulate,
    keras=_keras_accumulate,
    edit=_edit_accumulate,
    option=Option(
        (
            "gradient_accumulation_steps",
            "accumulate_grad_batches",
            "accumulation_steps",
            "accum_*",
            "grad_accum*",
        ),
        fact=ACCUMULATION,
        trainer="gradient_accumulation_steps",
    ),
    edited_file=(STEP_PLACE, BACKWARD_PLACE, SCRIPT),
)
