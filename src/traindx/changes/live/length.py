"""The loops of a program around the call that is running, read in its source."""

import ast
import os
import sys
from collections.abc import Iterator, Mapping, Sized
from dataclasses import dataclass
from functools import cache
from types import FrameType

from torch.optim import Optimizer
from torch.utils.data import DataLoader

import traindx
from traindx.changes.live.program import Program

_OURS = os.path.dirname(os.path.abspath(traindx.__file__))
_LIBRARIES = (
    f"{os.sep}site-packages{os.sep}",
    f"{os.sep}dist-packages{os.sep}",
    os.path.dirname(os.__file__),
)
_PASSING = ("enumerate", "tqdm", "track", "progress_bar", "reversed")
"""Calls that go over what they are given."""
_RANGES = ("range", "trange")
_CONTAINERS = (list, tuple, dict, set, range, DataLoader)
_LARGEST = 10**12


@dataclass(frozen=True)
class Loop:
    """A loop around a call."""

    times: int | None
    """How often it goes round; None where that cannot be read."""
    at: object
    """The value of its variable."""


@dataclass(frozen=True)
class Trainer:
    """A trainer that goes through the loop for the program."""

    name: str
    steps: int | None
    epochs: int | None


def loops_around() -> list[Loop]:
    """All loops of the program around this call, the outermost first."""
    own = [frame for frame in _frames() if _is_the_programs(frame.f_code.co_filename)]
    return [loop for frame in reversed(own) for loop in _loops_in(frame)]


def trainer_around() -> Trainer | None:
    """The trainer of Lightning or transformers that is at work."""
    for frame in _frames():
        owner = frame.f_locals.get("self")
        if owner is None:
            continue
        kinds = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(owner).__mro__}
        if kinds & {"lightning.Trainer", "pytorch_lightning.Trainer"}:
            steps, epochs = owner.estimated_stepping_batches, owner.max_epochs
            return Trainer("the Lightning Trainer", _whole(steps), _whole(epochs))
        if "transformers.Trainer" in kinds:
            steps, epochs = owner.state.max_steps, owner.args.num_train_epochs
            return Trainer("the Hugging Face Trainer", _whole(steps), _whole(epochs))
    return None


def _whole(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) and 0 < value < _LARGEST else None


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_the_programs(file: str) -> bool:
    return not file.startswith((_OURS, "<")) and not any(part in file for part in _LIBRARIES)


def _loops_in(frame: FrameType) -> list[Loop]:
    try:
        tree = _parsed(frame.f_code.co_filename)
    except (OSError, SyntaxError, ValueError):
        return []
    names = {**frame.f_globals, **frame.f_locals}
    return [_loop(node, names) for node in _around(tree, frame.f_lineno, frame.f_code.co_name)]


@cache
def _parsed(file: str) -> ast.Module:
    with open(file, "rb") as source:
        return ast.parse(source.read())


def _around(tree: ast.AST, line: int, function: str) -> list[ast.For | ast.While]:
    """Loops around a line, the outermost first, within the function of that name that holds it."""
    loops: list[ast.For | ast.While] = []
    inner: ast.AST | None = tree
    while inner is not None:
        named = inner.name if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef) else "<lambda>"
        if named == function and (named != "<lambda>" or isinstance(inner, ast.Lambda)):
            loops = []
        if isinstance(inner, ast.For | ast.While) and any(
            _holds(statement, line) for statement in inner.body
        ):
            loops.append(inner)
        inner = next((child for child in ast.iter_child_nodes(inner) if _holds(child, line)), None)
    return loops


def _holds(node: ast.AST, line: int) -> bool:
    begins, ends = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
    return begins is not None and ends is not None and begins <= line <= ends


def _loop(node: "ast.For | ast.While", names: Mapping[str, object]) -> Loop:
    if isinstance(node, ast.While):
        return Loop(None, None)
    targets = [target.id for target in ast.walk(node.target) if isinstance(target, ast.Name)]
    return Loop(_times(node.iter, names), names.get(targets[0]) if targets else None)


def _times(node: ast.expr, names: Mapping[str, object]) -> int | None:
    """How often a loop over an expression goes round."""
    if isinstance(node, ast.Call) and node.args:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called in _RANGES:
            return _range(node.args, names)
        return _times(node.args[0], names) if called in _PASSING else None
    if isinstance(node, ast.List | ast.Tuple):
        return len(node.elts)
    value = _value(node, names)
    return _length(value) if isinstance(value, _CONTAINERS) else None


def _range(arguments: list[ast.expr], names: Mapping[str, object]) -> int | None:
    ends = [_value(end, names) for end in arguments]
    whole = [end for end in ends if isinstance(end, int)]
    if len(whole) != len(ends) or len(whole) > 3 or (len(whole) == 3 and not whole[2]):
        return None
    times = len(range(*whole))
    return times if times < _LARGEST else None


def _value(node: ast.expr, names: Mapping[str, object]) -> object:
    """What an expression stands for, as far as it can be read without running code of the program."""
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return names.get(node.id)
        case ast.Attribute():
            owner = _value(node.value, names)
            # Not getattr: a property would run.
            return getattr(owner, "__dict__", {}).get(node.attr, vars(type(owner)).get(node.attr))
        case ast.Subscript(value=inside, slice=ast.Constant(value=key)):
            owner = _value(inside, names)
            return owner.get(key) if type(owner) is dict else None
        case ast.Call(func=ast.Name(id="len"), args=[operand]):
            return _length(_value(operand, names))
        case ast.BinOp():
            return _computed(node.op, _value(node.left, names), _value(node.right, names))
    return None


def _computed(operator: ast.operator, left: object, right: object) -> int | None:
    if not isinstance(left, int) or not isinstance(right, int):
        return None
    match operator:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.FloorDiv():
            return left // right if right else None
    return None


def _length(value: object) -> int | None:
    try:
        return len(value) if isinstance(value, Sized) else None
    except Exception:  # a stream, or a data set of the program's own that has no length after all
        return None


NAME = "length"


def begin(program: Program) -> None:
    """Look at the loops around the first steps."""
    first: list[Loop] = []
    facts: dict[str, object] = {}

    def look(_: Optimizer) -> None:
        if "round" in facts or "trainer" in facts or "problem" in facts:
            return
        try:
            news = _news(first, program.taken)
        except Exception as error:  # the frames of a program may hold anything
            news = {"problem": f"its loops could not be read ({type(error).__name__}: {error})"}
        if news:
            facts.update(news)
            program.keep(NAME, facts)

    program.before_step(look)


def _news(first: list[Loop], taken: int) -> dict[str, object]:
    """What a step tells that the ones before did not."""
    if not taken:
        trainer = trainer_around()
        if trainer is not None:
            return {"trainer": trainer.name, "steps": trainer.steps, "epochs": trainer.epochs}
        first[:] = loops_around()
        return {"times": [loop.times for loop in first]}
    loops = loops_around()
    is_next = first and loops and isinstance(first[0].at, int | float | str) and first[0].at != loops[0].at
    return {"round": taken} if is_next else {}
