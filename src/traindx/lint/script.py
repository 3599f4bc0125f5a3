"""What a training script says of itself before it runs: settings written as numbers, habits, where it trains.

optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)    OPTIMIZER adam, LEARNING_RATE from the default
loader = DataLoader(data, batch_size=BATCH, shuffle=True)       BATCH_SIZE from the constant, SHUFFLE

for batch in loader:            at module level: importing the file trains
    loss.backward()

Nothing is run, and what is computed stays unknown: a fact is stated only where it is written down.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from traindx.diagnosis.types import SignResult
from traindx.facts import (
    BATCH_SIZE,
    DROPOUT,
    GRADIENTS_CLEARED,
    LEARNING_RATE,
    MOMENTUM,
    OPTIMIZER,
    PRECISION,
    SHUFFLE,
    WEIGHT_DECAY,
    WORKERS,
)
from traindx.finding import Evidence, Finding
from traindx.run import Fact, Scalar
from traindx.signs.loop import gradients_carried_over

_OPTIMIZERS = frozenset(
    "adam adamw sgd rmsprop adagrad adadelta adamax nadam radam lamb lion lbfgs rprop adafactor".split()
)
_SETTINGS: Mapping[str, Mapping[str, Fact]] = {
    "DataLoader": {"batch_size": BATCH_SIZE, "shuffle": SHUFFLE, "num_workers": WORKERS},
    "TrainingArguments": {
        "learning_rate": LEARNING_RATE,
        "per_device_train_batch_size": BATCH_SIZE,
        "weight_decay": WEIGHT_DECAY,
    },
    "fit": {"batch_size": BATCH_SIZE},
}
"""Keywords that state facts, by the call they stand in."""
_OF_OPTIMIZERS = {
    "lr": LEARNING_RATE,
    "learning_rate": LEARNING_RATE,
    "momentum": MOMENTUM,
    "weight_decay": WEIGHT_DECAY,
}


@dataclass(frozen=True)
class Script:
    """What a script says of itself."""

    facts: Mapping[Fact, Scalar]
    asked: tuple[SignResult, ...]


def read_script(text: str, name: str) -> Script:
    """Facts and habits of a script; ValueError where it is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"not valid Python ({error.__class__.__name__})") from error
    constants = _constants(tree)
    facts: dict[Fact, Scalar] = {}
    others = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    calls = sorted(others, key=lambda call: (call.lineno, call.col_offset))
    for call in calls:
        stated = dict(_facts(call, constants))
        # The first of several, whole: training comes before validation, and a second optimizer is another.
        if not (OPTIMIZER in stated and OPTIMIZER in facts):
            facts = {**stated, **facts}
    return Script(facts, () if _clears_by_hand(tree) else tuple(_habits(calls, name)))


def _facts(call: ast.Call, constants: Mapping[str, Scalar]) -> Iterator[tuple[Fact, Scalar]]:
    called = _called(call)
    keywords = {keyword.arg: _value(keyword.value, constants) for keyword in call.keywords if keyword.arg}
    if called.lower() in _OPTIMIZERS:
        yield OPTIMIZER, called.lower()
        yield from _known(keywords, _OF_OPTIMIZERS)
        rate = (
            _value(call.args[-1], constants)
            if call.args and not keywords.keys() & _OF_OPTIMIZERS.keys()
            else None
        )
        if isinstance(rate, float) and rate > 0:
            yield LEARNING_RATE, rate
    yield from _known(keywords, _SETTINGS.get(called, {}))
    if called == "DataLoader" and len(call.args) > 1:
        size = _value(call.args[1], constants)
        if isinstance(size, int):
            yield BATCH_SIZE, size
    if called.startswith("Dropout") and call.args:
        share = _value(call.args[0], constants)
        if isinstance(share, float):
            yield DROPOUT, share
    if called in ("half", "GradScaler"):
        yield PRECISION, "float16"


def _known(keywords: Mapping[str, Scalar | None], names: Mapping[str, Fact]) -> Iterator[tuple[Fact, Scalar]]:
    for name, fact in names.items():
        value = keywords.get(name)
        if value is not None:
            yield fact, value


def _habits(calls: list[ast.Call], name: str) -> Iterator[SignResult]:
    """A loop of one's own that steps and never clears."""
    named = {_called(call): call for call in reversed(calls)}
    if "backward" not in named or "step" not in named or "zero_grad" in named:
        return
    line = named["backward"].lineno
    evidence = Evidence(GRADIENTS_CLEARED, (0.0, 0.0), 0.0, location=f"{name}:{line}")
    says = f"{name}:{line} calls backward(), but zero_grad() is never called"
    yield SignResult(gradients_carried_over, Finding(1.0, says, (evidence,)))


def _clears_by_hand(tree: ast.AST) -> bool:
    """Whether something is assigned to a `.grad`, as in `parameter.grad = None`."""
    targets = (target for node in ast.walk(tree) if isinstance(node, ast.Assign) for target in node.targets)
    return any(isinstance(target, ast.Attribute) and target.attr == "grad" for target in targets)


def _called(call: ast.Call) -> str:
    function = call.func
    return (
        function.attr
        if isinstance(function, ast.Attribute)
        else function.id
        if isinstance(function, ast.Name)
        else ""
    )


def _constants(tree: ast.AST) -> dict[str, Scalar]:
    """Names that get one written value and no other, and the defaults of arguments (`args.lr`)."""
    scalars: dict[str, list[Scalar | None]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    scalars.setdefault(target.id, []).append(_value(node.value, {}))
        elif isinstance(node, ast.Call) and _called(node) == "add_argument" and node.args:
            option = _value(node.args[-1], {})
            default = next((keyword.value for keyword in node.keywords if keyword.arg == "default"), None)
            if isinstance(option, str) and default is not None:
                scalars.setdefault("." + option.lstrip("-").replace("-", "_"), []).append(_value(default, {}))
    return {name: values[0] for name, values in scalars.items() if len(values) == 1 and values[0] is not None}


def _value(node: ast.expr, constants: Mapping[str, Scalar]) -> Scalar | None:
    """What an expression is, if it is written down."""
    if isinstance(node, ast.Name):
        return constants.get(node.id)
    if isinstance(node, ast.Attribute):
        return constants.get("." + node.attr)
    try:
        value: object = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, str | int | float) else None


_TRAINS = frozenset(("backward", "fit", "step"))
"""Methods that only a training run calls."""
_DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda


def training_at_import(source: str) -> int | None:
    """The line at which importing a source would start to train; None if it would not, or cannot be read."""
    try:
        module = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    functions = {
        statement.name
        for statement in module.body
        if isinstance(statement, ast.FunctionDef) and _calls_training(statement)
    }
    lines = [
        call.lineno
        for statement in module.body
        if not _is_main_guard(statement)
        for call in _calls(statement)
        if _trains(call) or (isinstance(call.func, ast.Name) and call.func.id in functions)
    ]
    return min(lines, default=None)


def _calls_training(function: ast.FunctionDef) -> bool:
    return any(_trains(call) for statement in function.body for call in _calls(statement))


def _trains(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr in _TRAINS


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    """The calls that run when a statement does: those inside of definitions do not."""
    if isinstance(node, _DEFINITIONS):
        return
    if isinstance(node, ast.Call):
        yield node
    for child in ast.iter_child_nodes(node):
        if not _is_main_guard(child):
            yield from _calls(child)


def _is_main_guard(node: ast.AST) -> bool:
    """Whether it is `if __name__ == "__main__":`."""
    if not isinstance(node, ast.If):
        return False
    return any(isinstance(part, ast.Name) and part.id == "__name__" for part in ast.walk(node.test))
