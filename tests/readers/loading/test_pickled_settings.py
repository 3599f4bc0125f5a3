import io
import os
import pickle
import zipfile
from pathlib import Path

import pytest

from traindx.readers.loading.hyperparameter_files import settings_beside, settings_in_pickle


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
    found = settings_in_pickle(pickle.dumps(arguments, protocol))
    assert found == {"learning_rate": 5e-5, "seed": 42, "fp16": False, "output_dir": "out", "inner": 7}
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
