"""Hyperparameters that lie beside a log: `hparams.yaml`, `config.json`, MLflow's `params/`, a W&B config.

version_0/hparams.yaml       lr: 0.001
files/config.yaml            lr: {desc: null, value: 0.001}
params/lr                    0.001
"""

import json
import re
import zipfile
from pathlib import Path

import yaml

from traindx.readers.loading.pickled_settings import settings_in_pickle
from traindx.readers.tabular.nested import flattened, number_or_text
from traindx.run import Scalar

_SETTINGS_FILE = re.compile(
    r"(hparams?|hyp|hyper_?params?|hyper_?parameters|config|configs|cfg|args|opt|params|train_?config|training_args|train_args|"
    r"run_config|settings|hydra)\.(ya?ml|json)",
    re.IGNORECASE,
)
_PICKLED = "training_args.bin"
_LARGEST = 1 << 20
_Loader: type = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def settings_beside(folder: Path) -> dict[str, Scalar]:
    """Settings found in files of a folder, of its `files/`, `.hydra/` and `params/`; nothing on failure."""
    settings: dict[str, Scalar] = {}
    for file in settings_files(folder):
        settings = {**(_read_pickled(file) if file.name == _PICKLED else settings_in(file)), **settings}
    return {**_one_file_each(folder / "params"), **settings}


def settings_files(folder: Path) -> list[Path]:
    """The files of a folder, of its `files/` and `.hydra/` that state settings."""
    found = [file for place in (folder, folder / "files", folder / ".hydra") for file in _files(place)]
    return [file for file in found if file.name == _PICKLED or is_settings_file(file.name)]


def is_settings_file(path: str) -> bool:
    """Whether a file has the name of one that states settings."""
    return _SETTINGS_FILE.fullmatch(Path(path).name) is not None


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(f for f in folder.iterdir() if f.is_file() and f.stat().st_size <= _LARGEST)
    except OSError:
        return []


def settings_in(file: Path) -> dict[str, Scalar]:
    """The settings of a YAML or JSON file; nothing on failure."""
    try:
        text = file.read_text(encoding="utf-8-sig", errors="replace")
        document = json.loads(text) if file.suffix.lower() == ".json" else yaml.load(text, _Loader)  # noqa: S506
    except (OSError, ValueError, RecursionError, yaml.YAMLError):
        return {}
    return dict(flattened(document)) if isinstance(document, dict) else {}


def _read_pickled(file: Path) -> dict[str, Scalar]:
    try:
        with zipfile.ZipFile(file) as archive:
            names = [name for name in archive.namelist() if name.endswith("/data.pkl")]
            return settings_in_pickle(archive.read(names[0])) if names else {}
    except (OSError, ValueError, zipfile.BadZipFile):
        return {}


def _one_file_each(folder: Path) -> dict[str, Scalar]:
    """MLflow's file store keeps each parameter in a file of its own."""
    settings: dict[str, Scalar] = {}
    for file in _files(folder):
        try:
            settings[file.name] = number_or_text(file.read_text(encoding="utf-8", errors="replace").strip())
        except OSError:
            continue
    return settings
