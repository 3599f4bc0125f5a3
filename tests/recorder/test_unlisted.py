"""Parts that a model calls and does not list are seen, with the line; what is hidden on purpose is none."""

import inspect
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn import functional

from tests.changes.changing import changed, notes
from traindx.changes.source.patch import patch_of
from traindx.changes.types import parse_change
from traindx.diagnosis.engine import diagnose
from traindx.diagnosis.types import Verdict
from traindx.facts import MADE_ANEW, SCRIPT, UNLISTED_PARTS, UNLISTED_PLACE, UNOPTIMIZED_PARAMETERS
from traindx.readers.loading.runs import load
from traindx.recorder.attach import watch
from traindx.run import Run


class Listed(nn.Module):
    """Two layers that the model knows of, and more that it may not."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.head = nn.Linear(6, 24), nn.Linear(24, 2)
        self.blocks = nn.ModuleList([nn.Linear(24, 24), nn.Linear(24, 24)])

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.embed(x)
        for block in self.between():
            hidden = hidden + functional.gelu(block(hidden))
        return self.head(hidden)

    def between(self) -> "list[nn.Module]":
        return list(self.blocks)


class InList(Listed):
    def __init__(self) -> None:
        super().__init__()
        del self.blocks
        self.parts = [nn.Linear(24, 24) for _ in range(2)]

    def between(self) -> "list[nn.Module]":
        return list(self.parts)


class InDict(Listed):
    def __init__(self) -> None:
        super().__init__()
        del self.blocks
        self.parts = {"first": [nn.Linear(24, 24)], "second": [nn.Linear(24, 24)]}

    def between(self) -> "list[nn.Module]":
        return [block for blocks in self.parts.values() for block in blocks]


class MadeAnew(Listed):
    def between(self) -> "list[nn.Module]":
        return [*self.blocks, nn.Linear(24, 24)]


class Teacher(Listed):
    """A network that is used as it is, kept from parameters() by a list, in three ways."""

    def __init__(self) -> None:
        super().__init__()
        self.teachers = [nn.Linear(2, 2).eval(), nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 2)]

    def forward(self, x: Tensor) -> Tensor:
        out = super().forward(x)
        with torch.no_grad():
            self.teachers[2](out)
        return out + 0.01 * self.teachers[0](out) + 0.01 * self.teachers[1](out)


def trained(folder: Path, kind: Callable[[], nn.Module], *, all_given: bool = False) -> Run:
    torch.manual_seed(0)
    net, x = kind(), torch.randn(400, 6)
    y = torch.stack([x[:, 0] * x[:, 1], x[:, 2] + x[:, 3]], 1)
    parameters = list(net.parameters())
    if all_given and isinstance(net, Listed):
        parameters += [parameter for block in net.between() for parameter in block.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=1e-3)
    with watch(net, optimizer, out=folder, name="small", budget=100.0):
        for _ in range(12):
            for inputs, targets in zip(x.split(20), y.split(20), strict=True):
                loss = functional.mse_loss(net(inputs), targets)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    (run,) = load(folder)
    return run


def line_of(kind: type, text: str) -> int:
    lines, first = inspect.getsourcelines(kind)
    return next(first + index for index, line in enumerate(lines) if text in line)


@pytest.mark.parametrize("kind", [InList, InDict])
def test_parts_in_a_plain_list_or_dict_never_learn(kind: type[Listed], tmp_path: Path) -> None:
    run = trained(tmp_path, kind)
    assert run.facts[UNLISTED_PARTS] == "parts"
    assert str(run.facts[UNLISTED_PLACE]).endswith(f"test_unlisted.py:{line_of(kind, 'self.parts = ')}")
    assert run.facts[UNOPTIMIZED_PARAMETERS] == 4
    names = {layer.name for layer in run.model if not layer.optimized}
    assert all(name.startswith("parts.") for name in names)
    diagnosis = diagnose(run)
    assert diagnosis.verdict is not Verdict.HEALTHY
    assert diagnosis.suspects[0].cause.slug == "parameters-not-optimized"
    assert "`parts` is a plain list" in diagnosis.says


def test_a_list_whose_parameters_the_optimizer_has_is_no_fault(tmp_path: Path) -> None:
    run = trained(tmp_path, InList, all_given=True)
    assert run.facts[UNOPTIMIZED_PARAMETERS] == 0
    assert all(layer.optimized for layer in run.model)


@pytest.mark.parametrize("kind", [Listed, Teacher])
def test_what_is_listed_or_hidden_on_purpose_is_not_told_of(kind: type[Listed], tmp_path: Path) -> None:
    run = trained(tmp_path, kind)
    assert run.facts.keys().isdisjoint({UNLISTED_PARTS, MADE_ANEW})
    assert run.facts[UNOPTIMIZED_PARAMETERS] == 0


def test_weights_that_are_made_anew_in_each_pass_never_learn(tmp_path: Path) -> None:
    run = trained(tmp_path, MadeAnew)
    assert run.facts[MADE_ANEW] == "Linear"
    diagnosis = diagnose(run)
    assert diagnosis.verdict is not Verdict.HEALTHY
    assert diagnosis.suspects[0].cause.slug == "parameters-not-optimized"


def test_the_fix_registers_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = f"import torch\nfrom torch import nn\n\n\n{inspect.getsource(InList)}"
    Path("net.py").write_text(text)
    line = text.splitlines().index("        self.parts = [nn.Linear(24, 24) for _ in range(2)]") + 1
    run = Run("run", (), facts={SCRIPT: "net.py", UNLISTED_PARTS: "parts", UNLISTED_PLACE: f"net.py:{line}"})
    patch = patch_of([parse_change("model.register_parts")], run)
    assert patch is not None
    fixed = "self.parts = nn.ModuleList([nn.Linear(24, 24) for _ in range(2)])"
    assert patch.after == text.replace("self.parts = [nn.Linear(24, 24) for _ in range(2)]", fixed)


def test_the_change_lets_the_list_learn(tmp_path: Path) -> None:
    net = InList()
    optimizer, before = torch.optim.SGD(net.parameters(), lr=0.1), net.parts[0].weight.clone()
    with changed(tmp_path, "model.register_parts"):
        for _ in range(2):
            net(torch.randn(8, 6)).square().mean().backward()
            optimizer.step()
    assert isinstance(net.parts, nn.ModuleList)
    assert not torch.equal(before, net.parts[0].weight)
    assert notes(tmp_path)
