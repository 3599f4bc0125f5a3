"""The data of `fit`, in other batches and another order."""

from pathlib import Path

import numpy as np
import pytest

from tests.changes.live.keras.trainings import (
    CLASSES,
    ROWS,
    Sequential,
    applied,
    changed,
    dense,
    keras,
    refused,
    torch,
    train,
)

pytestmark = pytest.mark.filterwarnings("ignore")

NUMBERED = np.repeat(np.arange(48.0), 4).reshape(48, 4).astype("float32")


class Kept(keras.callbacks.Callback):
    """Counts the batches of an epoch."""

    batches = 0

    def on_train_batch_end(self, batch: int, logs: object = None) -> None:
        self.batches += 1


class Batches(keras.utils.PyDataset):
    """Data that make their batches themselves."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, place: int) -> tuple[object, object]:
        part = slice(16 * place, 16 * place + 16)
        return ROWS[part], CLASSES[part]


def compiled() -> Sequential:
    keras.utils.set_random_seed(1)
    model = dense()
    model.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy")
    return model


@pytest.mark.parametrize(("text", "batches"), [("x 0.5", 6), ("4", 12), ("x 100", 4)])
def test_arrays_are_cut_into_other_batches(text: str, batches: int, tmp_path: Path) -> None:
    kept = Kept()
    with changed(tmp_path, f"loader.batch_size {text}"):
        training = train(steps=1, batch_size=16 if text != "x 100" else 8, callbacks=[kept])
    assert kept.batches == batches
    assert training.weights == pytest.approx(train(steps=1, batch_size=48 // batches).weights)


def test_arrays_are_shuffled(tmp_path: Path) -> None:
    with changed(tmp_path, "loader.shuffle"):
        training = train(batch_size=16)
        train(batch_size=16, shuffle=True, steps=1)
    assert training.weights == pytest.approx(train(batch_size=16, shuffle=True).weights)
    assert training.weights != pytest.approx(train(batch_size=16).weights)
    assert applied(tmp_path) == ["fit now shuffles its data"]
    assert "fit already shuffles its data" in refused(tmp_path)


def test_batches_that_are_ready_made_stay(tmp_path: Path) -> None:
    for text in ("loader.batch_size x 2", "loader.shuffle"):
        with changed(tmp_path, text):
            compiled().fit(Batches(), verbose=0)
    assert applied(tmp_path) == []
    assert {"fit gets ready-made batches", "fit gets its batches in a fixed order"} <= {*refused(tmp_path)}


def test_a_loader_of_torch_is_made_otherwise(tmp_path: Path) -> None:
    kept = Kept()
    with changed(tmp_path, "loader.batch_size x 0.5"):
        data = torch.utils.data.TensorDataset(torch.as_tensor(ROWS), torch.as_tensor(CLASSES))
        compiled().fit(torch.utils.data.DataLoader(data, batch_size=16), verbose=0, callbacks=[kept])
    assert kept.batches == 6


def test_only_data_that_can_have_workers_get_them(tmp_path: Path) -> None:
    data = Batches()
    with changed(tmp_path, "loader.num_workers 2"):
        compiled().fit(data, verbose=0)
        train(steps=1)
    assert data.workers == 2
    assert applied(tmp_path) == ["the dataset gets 2 workers"]
    assert refused(tmp_path) == ["fit does not get a PyDataset; only those support workers"]


def test_mixed_precision_is_switched_off(tmp_path: Path) -> None:
    with changed(tmp_path, "precision.use float32"):
        training = train(lambda: dense(dtype="mixed_float16"))
        assert training.losses == pytest.approx(train().losses)
    with changed(tmp_path, "precision.use bfloat16"):
        assert dense(dtype="mixed_float16").layers[0].compute_dtype == "bfloat16"
    with changed(tmp_path, "precision.use bfloat16"):
        train(steps=1)
    assert refused(tmp_path) == ["the program uses none of mixed_float16, float16"]
