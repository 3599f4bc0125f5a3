"""Small tables with faults, to see what an exam says: readings of pumps, and whether an alarm follows."""

from pathlib import Path

import numpy as np

from traindx.errors import TraindxError

_DATASET = '''\
"""The tables next to this file as loaders, as in a training script."""

from pathlib import Path

import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

HERE = Path(__file__).parent


def loaders():
    """Training and validation loaders; inputs and labels unchanged."""
    made = []
    for name in ("train.csv", "validation.csv"):
        table = np.genfromtxt(HERE / name, delimiter=",", skip_header=1, usecols=(1, 2, 3, 4, 6))
        inputs = torch.tensor(table[:, :-1], dtype=torch.float32)
        labels = torch.tensor(table[:, -1], dtype=torch.long)
        made.append(DataLoader(TensorDataset(inputs, labels), batch_size=32))
    return tuple(made)
'''


def lay_out(folder: str) -> tuple[str, str]:
    """Write train.csv, validation.csv and dataset.py into a folder; the places of the tables."""
    rng = np.random.default_rng(8)
    place = Path(folder)
    training, validation = _rows(rng, 800), _rows(rng, 240)
    # Rows of validation that slipped into training.
    training[100:130] = [
        [row[0], *held[1:]] for row, held in zip(training[100:130], validation, strict=False)
    ]
    for row in rng.choice(len(training), 25, replace=False):
        training[row][3] = "-999"
    for row in rng.choice(len(training), 40, replace=False):
        training[row][2] = ""
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, rows in (("train.csv", training), ("validation.csv", validation)):
            lines = ["hour,temperature,pressure,vibration,flow,pump,alarm", *(",".join(row) for row in rows)]
            (place / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        (place / "dataset.py").write_text(_DATASET, encoding="utf-8")
    except OSError as error:
        raise TraindxError(
            f"{folder}: cannot be written ({error.strerror or error}); use another folder"
        ) from error
    return str(place / "train.csv"), str(place / "validation.csv")


def _rows(rng: np.random.Generator, rows: int) -> list[list[str]]:
    """Readings in the units of their instruments; an alarm follows heat and vibration, one time in thirty."""
    temperature, pressure = rng.normal(60, 9, rows), rng.normal(101_300, 800, rows)
    vibration, flow = rng.gamma(4, 0.5, rows), rng.normal(3, 0.4, rows)
    alarm = ((temperature - 60) / 9 + vibration - 2 > 3.1).astype(int)
    pump = rng.choice(["A", "B", "C"], rows)
    return [
        [
            f"{hour}",
            f"{temperature[hour]:.3f}",
            f"{pressure[hour]:.1f}",
            f"{vibration[hour]:.4f}",
            f"{flow[hour]:.4f}",
            str(pump[hour]),
            f"{alarm[hour]}",
        ]
        for hour in range(rows)
    ]
