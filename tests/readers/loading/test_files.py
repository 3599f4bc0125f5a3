"""Files of settings beside a log are facts of its run, and never series."""

import io
import os
import pickle
import zipfile
from pathlib import Path

import pytest

import traindx
from traindx.errors import UnreadableError
from traindx.facts import BATCH_SIZE, LEARNING_RATE, PLANNED_EPOCHS, PLANNED_STEPS, PRECISION
from traindx.readers.loading.files import settings_beside, settings_in_pickle
from traindx.readers.loading.runs import read


class Arguments:
    def __init__(self) -> None:
        self.learning_rate = 5e-5
        self.seed = 42
        self.fp16 = False
        self.output_dir = "out"
        self.betas = (0.9, 0.999)
        self.nested = {"inner": 7}
        self.nothing = None


class Evil:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, ("owned",)


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_settings_are_found_without_running_the_pickle(
    protocol: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = Arguments()
    arguments.evil = Evil()  # type: ignore[attr-defined]  # the point of the test
    settings = settings_in_pickle(pickle.dumps(arguments, protocol))
    assert settings == {"learning_rate": 5e-5, "seed": 42, "fp16": False, "output_dir": "out", "inner": 7}
    assert not (tmp_path / "owned").exists()


def test_training_args_beside_a_log(tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("training_args/data.pkl", pickle.dumps(Arguments(), 2))
    (tmp_path / "training_args.bin").write_bytes(packed.getvalue())
    assert settings_beside(tmp_path)["learning_rate"] == 5e-5


def test_noise_is_no_pickle() -> None:
    with pytest.raises(ValueError, match=r".+"):
        settings_in_pickle(b"\x93 not a pickle")


LOG = "epoch 1/20 loss 0.9\nepoch 2/20 loss 0.8\nepoch 3/20 loss 0.7\n"
SETTINGS = '{"lr": 2.0, "batch_size": 32, "fp16": true, "model": {"dim": 64}}'


@pytest.mark.parametrize("name", ["args.json", "config.json", "hyperparameters.json"])
@pytest.mark.parametrize("settings", [SETTINGS, SETTINGS.replace(",", ",\n"), '{"loss": 1, ' + SETTINGS[1:]])
def test_settings_become_facts_and_no_series(tmp_path: Path, name: str, settings: str) -> None:
    (tmp_path / "train.log").write_text(LOG)
    (tmp_path / name).write_text(settings)
    (run,) = traindx.load(tmp_path)
    assert [series.quantity.slug for series in run.series] == ["train_loss"]
    assert (run.facts[LEARNING_RATE], run.facts[BATCH_SIZE], run.facts[PRECISION]) == (2.0, 32, "fp16")
    assert run.unread == ()


def test_settings_of_any_name_are_no_series(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(LOG)
    (tmp_path / "run_seven.json").write_text(SETTINGS)
    reading = read([str(tmp_path)])
    assert [[series.quantity.slug for series in run.series] for run in reading.runs] == [["train_loss"]]
    assert reading.other_files == 1


def test_a_file_of_settings_that_was_read_is_no_other_file(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/train.log").write_text(LOG)
    (tmp_path / "run/hparams.yaml").write_text("lr: 0.1\n")
    (tmp_path / "hparams.yaml").write_text("lr: 0.2\n")
    (tmp_path / "notes.txt").write_text("nothing of interest\n")
    reading = read([str(tmp_path)])
    assert [run.facts[LEARNING_RATE] for run in reading.runs] == [0.1]
    assert reading.other_files == 2


def test_settings_alone_are_refused(tmp_path: Path) -> None:
    (tmp_path / "args.json").write_text(SETTINGS)
    with pytest.raises(UnreadableError, match="only settings, no metrics"):
        traindx.load(tmp_path / "args.json")


def test_curves_in_a_file_of_that_name_are_read(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"lr": 0.1, "loss": [0.9, 0.8, 0.7]}')
    (run,) = traindx.load(tmp_path)
    assert [series.values.tolist() for series in run.series] == [[0.9, 0.8, 0.7]]


def test_what_a_file_states_goes_before_what_lines_count_up_to(tmp_path: Path) -> None:
    (tmp_path / "train.log").write_text(LOG)
    (run,) = traindx.load(tmp_path)
    assert run.facts == {PLANNED_EPOCHS: 20}
    (tmp_path / "args.json").write_text('{"epochs": 30, "max_steps": -1}')
    (run,) = traindx.load(tmp_path)
    assert run.facts[PLANNED_EPOCHS] == 30
    assert PLANNED_STEPS not in run.facts
