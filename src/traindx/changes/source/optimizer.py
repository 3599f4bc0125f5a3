"""The optimizer of a source: where it is made, what it is called, what it holds, what a framework is told."""

from __future__ import annotations

from dataclasses import dataclass, field

from traindx.changes import cst
from traindx.changes.source.definitions import of_key, of_name
from traindx.changes.source.literal import Literal, added, exchanged, literal_behind, rewritten, scaled
from traindx.changes.source.source import Source
from traindx.changes.source.syntax import (
    argument,
    calls_at,
    calls_of,
    expression,
    imported,
    last_name,
    names_in,
    names_keras,
    number_text,
    path_of,
    renamed,
    spread,
    text_of,
)
from traindx.changes.types import ChangeSpec, Edited, RefusedError
from traindx.facts import OPTIMIZER, OPTIMIZER_PLACE, OPTIMIZERS_IN_TURN, STEP_PLACE
from traindx.run import Run

OPTIMIZERS = frozenset(
    "SGD Adam AdamW NAdam RAdam Adamax Adagrad Adadelta RMSprop Rprop ASGD LBFGS SparseAdam Muon".split()
)
_ARGUMENTS = ("TrainingArguments", "Seq2SeqTrainingArguments")


@dataclass(frozen=True)
class Setting:
    """A number of an optimizer."""

    what: str
    """In a sentence: "the learning rate"."""
    names: tuple[str, ...]
    """The keywords it goes by; the first is how torch calls it."""
    position: int | None
    """Its place among the arguments, where it has one that people use."""
    defaults: dict[str, float]
    """What an optimizer takes where nothing is said, by its class; "" for all others."""
    trainer: str = ""
    """The keyword of it in the arguments of the Hugging Face trainer."""
    trainer_default: float = 0.0
    keras_defaults: dict[str, float] = field(default_factory=dict)
    """What an optimizer of Keras takes where nothing is said, where that is something else."""

    def default(self, kind: str, *, keras: bool) -> float:
        """What an optimizer of a class takes where nothing is said."""
        known = {**self.defaults, **self.keras_defaults} if keras else self.defaults
        return known.get(kind, known.get("", 0.0))


def optimizer_call(source: Source, run: Run) -> cst.Call:
    """The call that makes the optimizer; refused where it cannot be told."""
    kind = str(run.facts.get(OPTIMIZER, ""))
    line = source.line_of(run, OPTIMIZER_PLACE)
    here = calls_at(source, line)
    known = [call for call in here if last_name(call.func) == kind] or [
        call for call in here if last_name(call.func) in OPTIMIZERS or _holds_parameters(call)
    ]
    if int(run.facts.get(OPTIMIZERS_IN_TURN, 1) or 1) > 1:
        raise RefusedError(f"{source.shown} alternates several optimizers, ambiguous")
    if len(known) > 1:
        begins = [call for call in known if source.lines(call)[0] == line]
        known = begins or known
    if len(known) == 1:
        _refuse_another(source, known[0])
        return known[0]
    if known:
        raise RefusedError(f"several optimizers are created at {source.shown}:{line}")
    raise RefusedError(f"no optimizer constructor found at {source.shown}:{line or '?'}")


def target_of(source: Source, call: cst.Call) -> str:
    """The name that what a call makes is kept under, as it is spelled; empty where it is not kept."""
    around = source.parent(call)
    if isinstance(around, cst.Assign) and len(around.targets) == 1:
        return source.code(around.targets[0].target)
    if isinstance(around, cst.AnnAssign):
        return source.code(around.target)
    return ""


def _refuse_another(source: Source, call: cst.Call) -> None:
    """Two optimizers of one scope learn together or one after the other: a change is meant for both."""
    scope, target = source.scope(call), target_of(source, call)
    for other in calls_of(source, OPTIMIZERS):
        if other is not call and source.scope(other) is scope and target_of(source, other) != target:
            raise RefusedError(
                f"optimizers are created at {source.place(call)} and {source.place(other)}, ambiguous"
            )


def _holds_parameters(call: cst.Call) -> bool:
    first = call.args[0].value if call.args else None
    return isinstance(first, cst.Call) and last_name(first.func) == "parameters"


def trainer_call(source: Source) -> cst.Call | None:
    """The arguments of a Hugging Face trainer, where the source makes exactly one."""
    calls = calls_of(source, _ARGUMENTS)
    return calls[0] if len(calls) == 1 else None


def keras_fit(source: Source, run: Run) -> cst.Call | None:
    """The call of Keras' fit that the run stepped in."""
    here = calls_at(source, source.line_of(run, STEP_PLACE)) if names_keras(source) else []
    return next((call for call in here if last_name(call.func) == "fit"), None)


def is_lightning(source: Source) -> bool:
    """Whether a class of the source is a module of Lightning."""
    bases = [base.value for class_ in source.all(cst.ClassDef) for base in class_.bases]
    return any("Lightning" in name for base in bases for name in names_in(source, base))


def is_keras(call: cst.Call, source: Source) -> bool:
    """Whether the optimizer is one of Keras: its arguments begin with the learning rate."""
    return any("keras" in part for part in path_of(source, call.func).split("."))


def argument_of_compile(source: Source, name: str, position: int) -> cst.Arg | None:
    """An argument of the one call of Keras' compile; None where there is none, or another number of calls."""
    calls = calls_of(source, {"compile"}) if names_keras(source) else []
    return argument(calls[0], (name,), position) if len(calls) == 1 else None


def named_optimizer(source: Source) -> tuple[cst.Arg, str] | None:
    """The argument of the one compile that names its optimizer in a text, and how its class is spelled."""
    arg = argument_of_compile(source, "optimizer", 0)
    kind = _BY_NAME.get((text_of(arg.value) or "").lower()) if arg is not None else None
    return (arg, imported(source, f"keras.optimizers.{kind}")) if arg is not None and kind else None


def edit_setting(source: Source, run: Run, change: ChangeSpec, setting: Setting) -> Edited:
    """A number of the optimizer written otherwise, wherever it is written."""
    trainer = trainer_call(source)
    if trainer is not None and setting.trainer:
        return _edit_argument(
            source, run, change, setting, trainer, (setting.trainer,), None, setting.trainer_default
        )
    named = named_optimizer(source)
    if named is not None:
        return _spelled_out(source, change, setting, *named)
    call = optimizer_call(source, run)
    keras = is_keras(call, source)
    names = setting.names if not keras else tuple(reversed(setting.names))
    default = setting.default(last_name(call.func), keras=keras)
    position = None if setting.position is None else setting.position - keras
    return _edit_argument(source, run, change, setting, call, names, position, default)


def _spelled_out(source: Source, change: ChangeSpec, setting: Setting, arg: cst.Arg, spelled: str) -> Edited:
    """An optimizer of Keras that a text names, made by its class with a setting."""
    default = setting.default(spelled.rpartition(".")[2], keras=True)
    value = change.scaled(default)
    if value == default:
        raise RefusedError(f"{setting.what} is already {number_text(default)} at {source.place(arg)}")
    return exchanged(source, arg, f"{spelled}({setting.names[-1]}={number_text(value)})")


def _edit_argument(
    source: Source,
    run: Run,
    change: ChangeSpec,
    setting: Setting,
    call: cst.Call,
    names: tuple[str, ...],
    position: int | None,
    default: float,
) -> Edited:
    arg = argument(call, names, position)
    if arg is not None:
        return scaled(source, run, setting.what, arg, change.scaled)
    if spread(call):
        literal = spread_literal(source, run, setting.what, call, names[0])
        return rewritten(source, literal, change.scaled(literal.value))
    value = change.scaled(default)
    if value == default:
        raise RefusedError(f"{setting.what} is already {number_text(default)} at {source.place(call)}")
    return added(source, call, names[0], number_text(value))


def spread_literal(source: Source, run: Run, what: str, call: cst.Call, key: str) -> Literal:
    """The number that one of the dictionaries spread into a call holds; refused where several may hold it."""
    definitions = {
        id(definition.holder): definition for base in spread(call) for definition in of_key(source, base, key)
    }
    bases = ", ".join(f"**{source.code(base)}" for base in spread(call))
    comes = f"{what} comes from {bases} at {source.place(call)}"
    if len(definitions) > 1:
        places = " and ".join(source.place(definition.holder) for definition in definitions.values())
        raise RefusedError(f"{comes}, set in {len(definitions)} places ({places})")
    for definition in definitions.values():
        if definition.value is not None:
            return literal_behind(source, run, what, definition.value, definition.holder)
    raise RefusedError(comes)


def literals_of_groups(source: Source, run: Run, call: cst.Call, key: str, what: str) -> list[Literal]:
    """Numbers that are written beside groups of parameters under a key, such as "lr"."""
    first = argument(call, ("params",), 0)
    groups = source.all(cst.Dict, first.value) if first else []
    if first is not None and isinstance(first.value, cst.Name):
        made = of_name(source, first.value.value, source.scope(first))
        groups = [
            dictionary
            for each in made
            if each.value is not None
            for dictionary in source.all(cst.Dict, each.value)
        ]
    entries = [
        element for group in groups for element in group.elements if isinstance(element, cst.DictElement)
    ]
    named = [entry for entry in entries if text_of(entry.key) == key]
    return [literal_behind(source, run, what, entry.value, entry) for entry in named]


def parameters_of(source: Source, call: cst.Call) -> str:
    """The model whose parameters the optimizer holds, as it is spelled; empty where it is not one model."""
    first = argument(call, ("params",), 0)
    if first is None or not isinstance(first.value, cst.Call):
        return ""
    made = first.value
    if last_name(made.func) == "filter" and len(made.args) == 2 and isinstance(made.args[1].value, cst.Call):
        made = made.args[1].value
    is_of_model = last_name(made.func) == "parameters" and isinstance(made.func, cst.Attribute)
    return source.code(made.func.value) if is_of_model and isinstance(made.func, cst.Attribute) else ""


def twin_of(source: Source, call: cst.Call, name: str, module: str) -> cst.Call:
    """The call of another class of the same module; refused where the source cannot spell it."""
    if isinstance(call.func, cst.Attribute) or _is_imported(source, name):
        return renamed(call, name)
    try:
        return call.with_changes(func=expression(imported(source, f"{module}.{name}")))
    except RefusedError as why:
        own = source.code(call.func)
        raise RefusedError(f"{source.shown} imports {own} by name but not {name}") from why


def exchanged_class(source: Source, call: cst.Call, name: str, module: str) -> Edited:
    """Another class of the same module in a call, with the arguments that are there."""
    new = twin_of(source, call, name, module)
    return Edited({call: new}, f"{source.code(call.func)} -> {source.code(new.func)} at {source.place(call)}")


def _is_imported(source: Source, name: str) -> bool:
    every = [
        statement.names
        for statement in source.all(cst.ImportFrom)
        if not isinstance(statement.names, cst.ImportStar)
    ]
    return any(last_name(alias.name) == name for names in every for alias in names)


@dataclass(frozen=True)
class Keywords:
    """How frameworks call one setting."""

    trainer: str
    """In the arguments of the Hugging Face trainer."""
    lightning: str
    keras: tuple[str, ...]
    """Of the optimizer; the first where none is written."""


def told_by(source: Source, run: Run, keywords: Keywords) -> tuple[cst.Call, str] | None:
    """The call and the keyword that tell a framework a setting; None where no framework runs the loop."""
    arguments = trainer_call(source)
    if arguments is not None:
        return arguments, keywords.trainer
    if is_lightning(source):
        trainers = calls_of(source, {"Trainer"})
        if len(trainers) == 1 and "automatic_optimization" not in names_in(source):
            return trainers[0], keywords.lightning
    if names_keras(source) and named_optimizer(source) is None:
        call = optimizer_call(source, run)
        by = next((name for name in keywords.keras if argument(call, (name,))), keywords.keras[0])
        return (call, by) if is_keras(call, source) else None
    return None


_BY_NAME = {
    "adam": "Adam",
    "adamw": "AdamW",
    "sgd": "SGD",
    "rmsprop": "RMSprop",
    "adagrad": "Adagrad",
    "nadam": "Nadam",
}
