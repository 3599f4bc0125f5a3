"""Measures that cannot tell are found in the program, and nowhere else."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from tests.promises.tape_reading import Taped, read_tape
from tests.recorder.hooks.own_methods import own_methods
from traindx.recorder.hooks import attachment
from traindx.recorder.hooks.metrics import report
from traindx.recorder.hooks.monkeypatch import Patches
from traindx.run import EventKind

OWN = own_methods()
FUNCTIONS = (torch.argmax, torch.max, torch.eq)
Measure = Callable[[Tensor, Tensor], object]


@contextmanager
def recorded(folder: Path) -> "Iterator[list[Taped]]":
    records: list[Taped] = []
    torch.manual_seed(0)
    watching = attachment.attach(folder)
    try:
        yield records
    finally:
        watching.detach()
    assert own_methods() == OWN
    assert (torch.argmax, torch.max, torch.eq) == FUNCTIONS
    (path,) = folder.glob("*.traindx")
    records.append(read_tape(path))
    assert EventKind.STEPPED_ASIDE.value not in records[0].kinds()


def train(measure: Measure, targets: Callable[[], Tensor], outputs: int = 1, loss: str = "mse_loss") -> None:
    """Train for some steps, plain ones among them, and measure after the losses."""
    model = nn.Linear(4, outputs)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(40):
        target = targets()
        prediction = model(torch.randn(16, 4))
        optimizer.zero_grad()
        getattr(functional, loss)(prediction, target).backward()
        optimizer.step()
        if step > 30:
            measure(prediction.detach(), target)


def real() -> Tensor:
    return torch.randn(16, 1)


def yes_or_no() -> Tensor:
    return torch.randint(2, (16, 1)).float()


def line(text: str) -> str:
    lines = Path(__file__).read_text().splitlines()
    (match,) = [number for number, code in enumerate(lines, start=1) if code.endswith(f"# {text}")]
    return f"test_comparisons.py:{match}"


EQUALITIES: dict[str, Measure] = {
    "plain": lambda p, y: (p == y).float().mean(),
    "rounded": lambda p, y: (p.round() == y).float().mean(),
    "squeezed": lambda p, y: (p.squeeze() == y.squeeze()).float().mean(),
    "eq": lambda p, y: p.eq(y.view(-1, 1)).float().mean(),
    "torch.eq": lambda p, y: torch.eq(p, y).float().mean(),
    "turned": lambda p, y: (y == p).float().mean(),
    "argmax": lambda p, y: (torch.argmax(p, 1) == y.flatten()).float().mean(),
}


@pytest.mark.parametrize("name", EQUALITIES)
def test_real_numbers_that_are_compared_by_equality(name: str, tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        train(EQUALITIES[name], real)
    assert records[0].stated("accuracy_of_numbers") == [True]
    (location,) = records[0].stated("metric_place")
    assert "test_comparisons.py:" in str(location)


def test_answers_gathered_from_many_batches_are_known_too(tmp_path: Path) -> None:
    def measure(prediction: Tensor, target: Tensor) -> object:
        return (torch.cat([prediction] * 3) == torch.cat([target] * 3)).float().mean()

    with recorded(tmp_path) as records:
        train(measure, real)
    assert records[0].stated("accuracy_of_numbers") == [True]


INNOCENT: dict[str, Measure] = {
    "itself": lambda p, y: (y == y).all(),
    "a number": lambda p, y: (y == 0.5).any(),
    "others": lambda p, y: (p == p.clone()).all(),
    "a snapshot": lambda p, y: (torch.ones(40, 3) / 3 == torch.rand(40, 3)).all(),
    "parameters": lambda p, y: (torch.rand(40, 1, requires_grad=True) == torch.rand(40, 1)).all(),
    "a library": lambda p, y: torch.testing.assert_close(y.clone(), y),
    "nothing": lambda p, y: None,
}


@pytest.mark.parametrize("name", INNOCENT)
def test_other_equalities_are_none(name: str, tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        train(INNOCENT[name], real)
    assert records[0].stated("accuracy_of_numbers") == []


def test_whole_numbers_may_be_equal_to_others(tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        train(lambda p, y: (p.round() == y).float().mean(), yes_or_no)
    assert records[0].stated("accuracy_of_numbers") == []


@pytest.mark.parametrize(("targets", "stated"), [(real, [True]), (yes_or_no, [])])
def test_an_accuracy_that_a_framework_reports(
    targets: Callable[[], Tensor], stated: list[bool], tmp_path: Path
) -> None:
    with recorded(tmp_path) as records:
        train(lambda p, y: None, targets)
        watching = attachment.attached()
        assert watching is not None
        report(watching.recorder, {"val_loss": 0.5})
        report(watching.recorder, {"val_accuracy": 0.0})
    assert records[0].stated("accuracy_of_numbers") == stated


CHOICES: dict[str, Measure] = {
    "torch.argmax": lambda p, y: torch.argmax(p, 1),
    "argmax": lambda p, y: p.argmax(dim=-1),
    "max": lambda p, y: p.max(1),
    "torch.max": lambda p, y: torch.max(p, dim=1),
    "kept": lambda p, y: p.argmax(1, keepdim=True),
}


@pytest.mark.parametrize("name", CHOICES)
def test_the_largest_of_one(name: str, tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        train(CHOICES[name], yes_or_no, loss="binary_cross_entropy_with_logits")
    assert records[0].stated("argmax_over_one") == [True]
    (location,) = records[0].stated("metric_place")
    assert "test_comparisons.py:" in str(location)


def test_the_place_is_that_of_the_call(tmp_path: Path) -> None:
    def measure(prediction: Tensor, _: Tensor) -> object:
        return prediction.argmax(1)  # measured here

    with recorded(tmp_path) as records:
        train(measure, yes_or_no, loss="binary_cross_entropy_with_logits")
    (location,) = records[0].stated("metric_place")
    assert str(location).endswith(line("measured here"))


REAL_CHOICES: dict[str, Measure] = {
    "over rows": lambda p, y: p.argmax(0),
    "over all": lambda p, y: (p.argmax(), torch.max(p), p.max()),
    "of two": lambda p, y: (torch.max(p, y), p.max(y)),
    "of a batch of one": lambda p, y: p[:1].max(0),
    "of whole numbers": lambda p, y: p.long().argmax(1),
    "of several": lambda p, y: torch.cat((p, y), 1).argmax(1),
}


@pytest.mark.parametrize("name", REAL_CHOICES)
def test_other_choices_are_choices(name: str, tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        train(REAL_CHOICES[name], yes_or_no, loss="binary_cross_entropy_with_logits")
    assert records[0].stated("argmax_over_one") == []


ALL_PAIRS: dict[str, Measure] = {
    "==": lambda p, y: ((p > 0) == y.squeeze(1)).float().mean(),
    "eq": lambda p, y: y.flatten().eq((p > 0).float()).float().mean(),
    "torch.eq": lambda p, y: torch.eq(p.round(), y[:, 0]).float().mean(),
    "of gathered batches": lambda p, y: (torch.cat([p] * 3) == torch.cat([y] * 3).flatten()).sum(),
}


@pytest.mark.parametrize("name", ALL_PAIRS)
def test_predictions_that_are_compared_each_with_each(name: str, tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        train(ALL_PAIRS[name], yes_or_no, loss="binary_cross_entropy_with_logits")
    assert records[0].stated("pairs_compared") == [True]
    (location,) = records[0].stated("metric_place")
    assert "test_comparisons.py:" in str(location)


def test_classes_that_are_compared_each_with_each(tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        train(
            lambda p, y: (p.argmax(1, keepdim=True) == y).float().mean(),
            lambda: torch.randint(3, (16,)),
            outputs=3,
            loss="cross_entropy",
        )
    assert records[0].stated("pairs_compared") == [True]


NO_PAIRS: dict[str, Measure] = {
    "of one shape": lambda p, y: ((p > 0) == y).float().mean(),
    "a tensor with itself": lambda p, y: (y == y.flatten()).float().mean(),
    "turned by hand": lambda p, y: (p == y.T).float().mean(),
    "one prediction": lambda p, y: (p[:1] == y[:1, 0]).float().mean(),
    "a library": lambda p, y: torch.isin(p, y.flatten()),
}


@pytest.mark.parametrize("name", NO_PAIRS)
def test_other_pairs_are_meant(name: str, tmp_path: Path) -> None:
    with recorded(tmp_path) as records:
        train(NO_PAIRS[name], yes_or_no, loss="binary_cross_entropy_with_logits")
    assert records[0].stated("pairs_compared") == []


def test_a_program_that_chooses_among_classes_is_left_alone(tmp_path: Path) -> None:
    calls: list[bool] = []
    with recorded(tmp_path):
        train(
            lambda p, y: calls.append(
                (torch.argmax, torch.max, torch.eq) == FUNCTIONS and "argmax" not in vars(Tensor)
            ),
            lambda: torch.randint(3, (16,)),
            outputs=3,
            loss="cross_entropy",
        )
    assert calls
    assert all(calls)


class Counting(TorchFunctionMode):
    """Counts the calls of torch that a program makes."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __torch_function__(
        self,
        func: "Callable[..., object]",
        types: object,
        args: tuple[object, ...] = (),
        kwargs: object = None,
    ) -> object:
        self.calls.append(func.__name__)
        return func(*args, **(kwargs if isinstance(kwargs, dict) else {}))


def test_whoever_counts_calls_counts_the_same(tmp_path: Path) -> None:
    counted: list[list[str]] = []

    def measure(prediction: Tensor, target: Tensor) -> None:
        with Counting() as mode:
            torch.eq(prediction, target)
            prediction.argmax(1)
            torch.max(prediction, 1)
        counted.append(mode.calls)

    with recorded(tmp_path):
        train(measure, real)
    train(measure, real)
    assert counted[0] == counted[-1]


class Sub(Tensor):
    """A tensor of the program's own kind."""


@pytest.mark.filterwarnings("ignore:.torch.jit:DeprecationWarning")
def test_subclasses_transforms_and_scripts_work_as_they_do(tmp_path: Path) -> None:
    def measure(prediction: Tensor, target: Tensor) -> None:
        assert type(prediction.as_subclass(Sub) == target.as_subclass(Sub)) is Sub
        assert torch.vmap(lambda p, y: (p == y).sum() + p.argmax(0))(prediction, target).shape == (16,)
        assert (prediction == "text") is False
        with pytest.raises(TypeError):
            torch.eq(prediction, "text")
        scripted = torch.jit.script(chosen)
        assert scripted(prediction).shape == (16,)
        assert target in {target: 1}

    with recorded(tmp_path):
        train(measure, real)


def chosen(x: Tensor) -> Tensor:
    return torch.argmax(x, 1) + torch.max(x, 1)[1] + (x == x).sum(1)


def test_a_shadow_is_gone_when_it_is_undone() -> None:
    def other(*args: object) -> None:
        return None

    patches = Patches()
    patches.shadow(Tensor, "argmax", lambda original: other)
    assert "argmax" in vars(Tensor)
    patches.undo()
    assert own_methods() == OWN
