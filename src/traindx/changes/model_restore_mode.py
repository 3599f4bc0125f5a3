"""Train and eval mode as they belong."""

from __future__ import annotations

from traindx.changes import cst, keras, nn, torch
from traindx.changes.live.functional import set_dropouts
from traindx.changes.live.keras_program import FitSettings, KerasProgram, is_real
from traindx.changes.live.program import Program
from traindx.changes.source.layers import DROPOUTS, DROPOUTS_ON_BY_DEFAULT
from traindx.changes.source.loop import backward_of, loop_around, model_at
from traindx.changes.source.source import Source, before, first_in
from traindx.changes.source.syntax import argument, expression, imported, last_name, spread, with_argument
from traindx.changes.types import BY_VALIDATION, Change, ChangeSpec, Edited, New, RefusedError
from traindx.facts import BACKWARD_PLACE, SCRIPT, VALIDATION_PLACE
from traindx.recorder.hooks.monkeypatch import Function
from traindx.run import Run

_WITHOUT_GRADIENT = ("no_grad", "inference_mode")
_TRAINING = 2
"""The place of that word among the arguments of a dropout."""


def _torch(program: Program, change: ChangeSpec) -> None:
    """Put a model into train mode where gradients are taken, and into eval mode where none are."""
    _Modes(program, change)


class _Modes:
    """The mode of the model that was called last: the functions it calls go by it too."""

    def __init__(self, program: Program, change: ChangeSpec) -> None:
        self._program, self._change = program, change
        self._learns = True
        program.on_input(self._restore)
        set_dropouts(program, self._rest)

    def _restore(self, model: nn.Module, _: tuple[object, ...]) -> None:
        # Not asked inside of the model: what is checkpointed there runs without gradients in training too.
        self._learns = torch.is_grad_enabled()
        if model.training != self._learns:
            mode = "train" if self._learns else "eval"
            self._program.applied(self._change, f"the model is put into {mode} mode")
            model.train(self._learns)

    def _rest(self, share: float, drops: bool) -> tuple[float, bool]:
        # functional.dropout(x, p) knows nothing of modes, nor does a module that is made in each forward.
        if drops and not self._learns:
            self._program.applied(self._change, f"dropout {share:g} is off in eval mode")
            drops = False
        return share, drops


def _keras(program: KerasProgram, change: ChangeSpec) -> None:
    """Call a model with `training=True` where gradients are taken, and with False where none are."""
    calls = 0

    def called(original: Function, model: keras.Model, *args: object, **kwargs: object) -> object:
        nonlocal calls
        learns = torch.is_grad_enabled()
        # What is called inside of a model follows it.
        outermost = not calls and model._call_has_training_arg and is_real((args, kwargs))
        if outermost and bool(kwargs.get("training")) != learns:
            program.applied(change, f"the model is called with training={learns}")
            kwargs["training"] = learns
        calls += 1
        try:
            return original(model, *args, **kwargs)
        finally:
            calls -= 1

    def refuse(_: object, settings: FitSettings) -> FitSettings:
        program.refuse(change, "Keras fit already sets the training mode")
        return settings

    program.on_fit(refuse)
    program.patches.wrap_inherited(keras.Model, "__call__", called)


def _edit(source: Source, _: ChangeSpec, run: Run) -> Edited:
    """Tie dropout to the mode of its module; set the modes before validation and before the batches."""
    tied = _tied(source)
    try:
        modes = _modes(source, run)
    except RefusedError:
        if tied is None:
            raise
        return tied
    if tied is None:
        return modes
    return Edited({**tied.parts, **modes.parts}, f"{tied.says}, {modes.says}")


def _tied(source: Source) -> Edited | None:
    """Dropout that is applied inside of a module and is always on, with the mode of the module."""
    parts: dict[cst.CSTNode, New] = {}
    for call in source.all(cst.Call):
        new = _called(source, call) or _made(source, call) if _is_of_method(source, call) else None
        if new is not None:
            parts[call] = new
    if not parts:
        return None
    return Edited(parts, f"training=self.training at {', '.join(source.place(part) for part in parts)}")


def _is_of_method(source: Source, call: cst.Call) -> bool:
    """Whether a call stands in a method of what can be a module: of a class that is made of another."""
    scope, around = source.scope(call), source.class_around(call)
    if not isinstance(scope, cst.FunctionDef) or not scope.params.params or around is None:
        return False
    made_of = [source.code(arg.value) for arg in around.bases if source.code(arg.value) != "object"]
    return bool(made_of) and scope.params.params[0].name.value == "self"


def _called(source: Source, call: cst.Call) -> cst.Call | None:
    """functional.dropout(x, p) without a word about its mode, or with True."""
    if last_name(call.func) not in DROPOUTS_ON_BY_DEFAULT or source.code(call.func).startswith("self."):
        return None
    arg = argument(call, ("training",), _TRAINING)
    if spread(call) or (arg is not None and source.code(arg.value) != "True"):
        return None
    if arg is None:
        return with_argument(call, "training", "self.training")
    return call.with_deep_changes(arg, value=expression("self.training"))


def _made(source: Source, call: cst.Call) -> cst.Call | None:
    """nn.Dropout(p)(x): a module that is made anew for every pass never hears of the mode."""
    made = call.func
    if not isinstance(made, cst.Call) or last_name(made.func) not in DROPOUTS:
        return None
    if len(call.args) != 1 or len(made.args) > 1 or any(entry.star for entry in (*call.args, *made.args)):
        return None
    function = f"torch.nn.functional.{DROPOUTS[last_name(made.func)]}"
    try:
        spelled = expression(imported(source, function))
    except RefusedError:
        return None
    args = [entry.with_changes(comma=cst.MaybeSentinel.DEFAULT) for entry in (*call.args, *made.args)]
    return with_argument(cst.Call(spelled, args), "training", "self.training")


def _modes(source: Source, run: Run) -> Edited:
    """Set eval mode before the validation and train mode before the batches of each epoch."""
    backward = backward_of(source, run)
    parts: dict[cst.CSTNode, New] = {}
    says: list[str] = []
    line = source.line_of(run, VALIDATION_PLACE)
    if line is None:
        raise RefusedError(f"no validation loss found in {source.shown}")
    validation = _statement_at(source, line)
    if not _sets_mode(source, source.scope(validation), "eval"):
        where = _validation(source, validation)
        model = _model(source, run, where)
        parts |= (
            first_in(source, where.body, f"{model}.eval()")
            if _is_function(where)
            else before(source, where, f"{model}.eval()")
        )
        says.append(f"{model}.eval() at {source.place(where)}")
    epoch = _training(source, backward)
    if not any(_sets_mode(source, node, "train") for node in (epoch, _around(source, epoch))):
        model = _model(source, run, backward)
        inside = epoch.body if _holds_validation(source, epoch, validation) else None
        parts |= (
            first_in(source, inside, f"{model}.train()")
            if inside
            else before(source, epoch, f"{model}.train()")
        )
        says.append(f"{model}.train() at {source.place(epoch)}")
    if not parts:
        raise RefusedError(f"both modes are already set in {source.shown}")
    return Edited(parts, ", ".join(says))


def _model(source: Source, run: Run, node: cst.CSTNode) -> str:
    # Inside of a function its own names count.
    name = model_at(source, run, node.body.body[0] if isinstance(node, cst.FunctionDef) else node)
    if not name:
        raise RefusedError(f"the name of the model is unclear at {source.place(node)}")
    return name


def _statement_at(source: Source, line: int) -> cst.CSTNode:
    for statement in source.nodes(source.module):
        if isinstance(statement, cst.BaseSmallStatement) and source.is_at(statement, line):
            return statement
    raise RefusedError(f"no statement at {source.shown}:{line}")


def _is_function(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.FunctionDef)


def _validation(source: Source, node: cst.CSTNode) -> cst.With | cst.For | cst.While | cst.FunctionDef:
    """The block that validation is: without gradients, a function of its own, or a loop."""
    around = list(source.around(node))
    for block in around:
        if isinstance(block, cst.With) and any(_is_without_gradient(item.item) for item in block.items):
            return block
        if isinstance(block, cst.FunctionDef):
            decorated = any(_is_without_gradient(each.decorator) for each in block.decorators)
            loops = [each for each in around if isinstance(each, cst.For | cst.While)]
            return block if decorated or not loops else loops[0]
    raise RefusedError(f"validation is not in its own block or no_grad at {source.place(node)}")


def _is_without_gradient(node: cst.BaseExpression) -> bool:
    return last_name(node.func if isinstance(node, cst.Call) else node) in _WITHOUT_GRADIENT


def _training(source: Source, backward: cst.Call) -> cst.For | cst.While:
    loop = loop_around(source, backward)
    if loop is None:
        raise RefusedError(f"the backward pass is not in a loop at {source.place(backward)}")
    return loop


def _around(source: Source, loop: cst.For | cst.While) -> cst.CSTNode:
    """What is repeated with each epoch: the loop around the batches, else the function they stand in."""
    outer = loop_around(source, loop)
    scope = source.scope(loop)
    return outer or (scope if isinstance(scope, cst.FunctionDef) else loop)


def _sets_mode(source: Source, node: cst.CSTNode, mode: str) -> bool:
    """Whether a model is put into a mode inside of a node, functions of a module not counted."""
    calls = [
        call for call in source.all(cst.Call, node) if last_name(call.func) == mode and len(call.args) == 0
    ]
    inside = node if isinstance(node, cst.FunctionDef | cst.Module) else source.scope(node)
    return any(source.scope(call) is inside and isinstance(call.func, cst.Attribute) for call in calls)


def _holds_validation(source: Source, loop: cst.For | cst.While, validation: cst.CSTNode) -> bool:
    """Whether the loop over batches validates too, itself or by a call."""
    if any(node is loop for node in source.around(validation)):
        return True
    scope = source.scope(validation)
    name = scope.name.value if isinstance(scope, cst.FunctionDef) else ""
    return any(last_name(call.func) == name for call in source.all(cst.Call, loop)) if name else False


CHANGE = Change(
    name="model.restore_mode",
    label="fix train and eval mode",
    says="train mode with gradients, eval mode (all dropout off) under no_grad",
    torch=_torch,
    keras=_keras,
    edit=_edit,
    edited_file=(VALIDATION_PLACE, BACKWARD_PLACE, SCRIPT),
    compared_by=BY_VALIDATION,
)
