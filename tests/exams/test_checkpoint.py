"""Models from files: every kind that is known, and code in a file that is never run unasked."""

import json
import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn

import traindx
from traindx import exams
from traindx.exams.checkpoint import Kind, kind_of, opened
from traindx.exams.input_specs import loss_named, made_by, sample_from, samples_named


def net() -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))


def fresh() -> nn.Sequential:
    torch.manual_seed(99)
    return nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))


def same(model: nn.Module) -> bool:
    return all(torch.equal(a, b) for a, b in zip(model.parameters(), net().parameters(), strict=True))


class Evil:
    """What an attacker saves instead of weights."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.mark),)


WEIGHTS: dict[str, Callable[[], object]] = {
    "state_dict": lambda: net().state_dict(),
    "among other things": lambda: {
        "epoch": 3,
        "model_state_dict": net().state_dict(),
        "optimizer": {"lr": 0.1},
    },
    "as Lightning saves it": lambda: {"state_dict": {f"model.{k}": v for k, v in net().state_dict().items()}},
    "of a distributed model": lambda: {f"module.{k}": v for k, v in net().state_dict().items()},
    "of a compiled model": lambda: {"model": {f"_orig_mod.{k}": v for k, v in net().state_dict().items()}},
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_weights_are_put_into_the_model_that_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / "model.pt"
    torch.save(WEIGHTS[name](), path)
    loaded = opened(str(path), fresh(), trust=False)
    assert same(loaded.model)
    assert loaded.notes == ()


def test_the_old_format_of_torch_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    torch.save(net().state_dict(), path, _use_new_zipfile_serialization=False)
    assert same(opened(str(path), fresh(), trust=False).model)


def test_safetensors_are_read_whatever_they_are_called(tmp_path: Path) -> None:
    path = tmp_path / "weights.bin"
    save_file(net().state_dict(), path)
    assert kind_of(str(path)) is Kind.SAFETENSORS
    assert same(opened(str(path), fresh(), trust=False).model)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_torchscript_brings_its_model(tmp_path: Path) -> None:
    path = str(tmp_path / "model.pt")
    torch.jit.script(net()).save(path)
    model = opened(path, None, trust=False).model
    batch = (torch.randn(320, 6), torch.randint(0, 3, (320,)))
    exam = exams.gradients(model, batch, "cross_entropy")
    assert exam.norm == pytest.approx(exams.gradients(net(), batch, "cross_entropy").norm)
    assert [row.layer.kind for row in exam.rows] == ["Linear"] * 4
    rows = exams.activations(model, batch).rows
    assert [(row.name, row.kind) for row in rows] == [("0", "relu")]
    assert rows[0].dead_share == 0


def test_an_exported_program_needs_trust(tmp_path: Path) -> None:
    path = str(tmp_path / "model.pt2")
    torch.export.save(torch.export.export(net(), (torch.randn(8, 6),)), path)
    with pytest.raises(traindx.UnreadableError, match=r"can run code.*--trust"):
        opened(path, None, trust=False)
    model = opened(path, None, trust=True).model
    exam = exams.gradients(model, (torch.randn(8, 6), torch.randint(0, 3, (8,))), "cross_entropy")
    assert [row.layer.name for row in exam.rows] == ["0.weight", "0.bias", "2.weight", "2.bias"]
    assert [row.layer.kind for row in exam.rows] == ["Linear"] * 4
    assert exams.activations(model, torch.randn(8, 6)).batches == 1


def test_a_whole_model_needs_trust_and_the_refusal_says_why(tmp_path: Path) -> None:
    path = str(tmp_path / "model.pt")
    torch.save(net(), path)
    with pytest.raises(traindx.UnreadableError) as refusal:
        opened(path, None, trust=False)
    assert "torch.nn.modules.container.Sequential" in str(refusal.value)
    assert "runs code from the file; pass --trust" in str(refusal.value)
    assert same(opened(path, None, trust=True).model)
    torch.save({"model": net(), "epoch": 4}, path)
    assert same(opened(path, None, trust=True).model)


@pytest.mark.parametrize(
    "kind", ["checkpoint", "old checkpoint", "bare pickle", "data", "npy", "npz", "program"]
)
def test_no_code_in_a_file_is_run_unasked(tmp_path: Path, kind: str) -> None:
    mark, path = tmp_path / "harm", tmp_path / "given"
    evil = {"weight": Evil(mark)}
    read: Callable[[str], object] = lambda where: opened(where, net(), trust=False)  # noqa: E731
    if kind in ("checkpoint", "data"):
        torch.save(evil, path)
    elif kind == "old checkpoint":
        torch.save(evil, path, _use_new_zipfile_serialization=False)
    elif kind == "bare pickle":
        path.write_bytes(pickle.dumps(evil))
    elif kind in ("npy", "npz"):
        path = path.with_suffix(f".{kind}")
        array = np.array([Evil(mark)], dtype=object)
        np.save(path, array) if kind == "npy" else np.savez(path, x=array)
    else:
        path = _evil_program(tmp_path, mark)
    if kind in ("data", "npy", "npz"):
        read = lambda where: sample_from(where, trust=False)  # noqa: E731
    with pytest.raises(traindx.UnreadableError):
        read(str(path))
    assert not mark.exists()


def test_the_evil_files_of_these_tests_are_evil(tmp_path: Path) -> None:
    path = tmp_path / "given"
    torch.save({"weight": Evil(tmp_path / "harm")}, path)
    with pytest.raises(traindx.UnreadableError):
        opened(str(path), net(), trust=True)
    assert (tmp_path / "harm").exists()
    program = _evil_program(tmp_path, tmp_path / "more harm")
    with pytest.raises(traindx.UnreadableError):
        opened(str(program), None, trust=True)
    assert (tmp_path / "more harm").exists()


def _evil_program(folder: Path, mark: Path) -> Path:
    """A program of torch.export with a pickle in the place of one of its weights."""
    good, bad = folder / "good.pt2", folder / "bad.pt2"
    torch.export.save(torch.export.export(net(), (torch.randn(8, 6),)), good)
    buffer = folder / "pickle"
    torch.save(Evil(mark), buffer)
    with zipfile.ZipFile(good) as source, zipfile.ZipFile(bad, "w", zipfile.ZIP_STORED) as target:
        for name in source.namelist():
            content = source.read(name)
            if name.endswith("model_weights_config.json"):
                config = json.loads(content)
                for entry in config["config"].values():
                    entry["use_pickle"] = True
                content = json.dumps(config).encode()
            elif "weights/weight_" in name:
                content = buffer.read_bytes()
            target.writestr(name.replace("good/", "bad/"), content)
    return bad


def test_what_is_missing_or_too_much_is_told(tmp_path: Path) -> None:
    weights = net().state_dict()
    weights["extra"] = weights.pop("2.bias")
    path = str(tmp_path / "model.pt")
    torch.save(weights, path)
    notes = opened(path, fresh(), trust=False).notes
    assert notes == (
        "1 entry of the model missing in the checkpoint: 2.bias",
        "1 entry of the checkpoint missing in the model: extra",
    )


@pytest.mark.parametrize(
    ("made", "saved", "says"),
    [
        (None, net().state_dict(), "name the model too: --model"),
        (nn.Linear(4, 4), net().state_dict(), "name the model it was saved from"),
        (
            nn.Sequential(nn.Linear(6, 17), nn.ReLU(), nn.Linear(17, 3)),
            net().state_dict(),
            "does not match the model",
        ),
        (net(), {"epoch": 3}, "contains neither a model nor a state_dict"),
        (net(), [1, 2, 3], "contains neither a model nor a state_dict"),
    ],
)
def test_what_does_not_fit_is_said_in_a_sentence(
    tmp_path: Path, made: nn.Module | None, saved: object, says: str
) -> None:
    path = str(tmp_path / "model.pt")
    torch.save(saved, path)
    with pytest.raises(traindx.TraindxError, match=says):
        opened(path, made, trust=False)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 broken", b"\x80\x02}q\x00", b"\x00" * 64])
def test_files_that_hold_nothing_of_the_kind_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "model.pt"
    path.write_bytes(content)
    with pytest.raises(traindx.UnreadableError):
        opened(str(path), net(), trust=False)
    with pytest.raises(traindx.UnreadableError):
        sample_from(str(path), trust=False)
    for missing in (tmp_path / "nothing.pt", tmp_path):
        with pytest.raises(traindx.UnreadableError):
            opened(str(missing), net(), trust=False)


def test_samples_come_from_arrays_tensors_and_safetensors(tmp_path: Path) -> None:
    inputs, targets = np.random.rand(16, 6), np.arange(16) % 3
    np.savez(tmp_path / "named.npz", y=targets, x=inputs)
    np.savez(tmp_path / "numbered.npz", inputs, targets)
    np.save(tmp_path / "alone.npy", inputs.astype(">f4"))
    torch.save({"x": torch.tensor(inputs), "y": torch.tensor(targets)}, tmp_path / "dict.pt")
    save_file({"x": torch.tensor(inputs), "y": torch.tensor(targets)}, tmp_path / "both.safetensors")
    for name in ("named.npz", "numbered.npz"):
        batch = sample_from(str(tmp_path / name), trust=False)
        assert isinstance(batch, tuple)
        assert batch[0].shape == (16, 6)
        assert batch[1].tolist() == targets.tolist()
    alone = sample_from(str(tmp_path / "alone.npy"), trust=False)
    assert isinstance(alone, torch.Tensor)
    for name in ("dict.pt", "both.safetensors"):
        assert set(sample_from(str(tmp_path / name), trust=False)) == {"x", "y"}  # type: ignore[call-overload]


def test_code_is_named_by_module_or_by_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "my_nets_for_exams.py").write_text(
        "from torch import nn\nclass Net(nn.Linear):\n    def __init__(self): super().__init__(3, 2)\n"
        "built = nn.Linear(4, 4)\nnumber = 3\ndef needs(width): return built\ndef wrong(): return 5\n"
        "def loss(output, target): return output.mean()\nclass Loss(nn.MSELoss): pass\n"
        "def batch(): return 7\n"
    )
    assert made_by("my_nets_for_exams:Net").in_features == 3
    assert made_by("my_nets_for_exams.py:built").in_features == 4
    assert callable(loss_named("my_nets_for_exams:loss"))
    assert isinstance(loss_named("my_nets_for_exams:Loss"), nn.MSELoss)
    assert loss_named("mse") == "mse"
    assert samples_named("my_nets_for_exams:batch") == 7
    for spec, says in {
        "my_nets_for_exams:Nothing": 'no "Nothing" in my_nets_for_exams',
        "my_nets_for_exams:number": "is a int",
        "my_nets_for_exams:needs": "name a function without arguments",
        "my_nets_for_exams:wrong": "must return a torch.nn.Module",
        "no_such_module:Net": "importing no_such_module fails",
        "missing.py:Net": "no such file: missing.py",
        "my_nets_for_exams": 'expected module:name, got "my_nets_for_exams"',
    }.items():
        with pytest.raises(traindx.TraindxError, match=says):
            made_by(spec)
    with pytest.raises(traindx.TraindxError, match='unknown loss function "focal"; use cross_entropy'):
        loss_named("focal")
