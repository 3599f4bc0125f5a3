"""Edits of the data loader: its order, its batches, its workers."""

import pytest

from tests.changes.source.sources import HF, LIT, LIT_PLACES, PLAIN, TRAINER, Bench
from traindx.facts import LOADER_PLACE

CHANGED = {
    "loader.shuffle": "shuffle=True",
    "loader.num_workers 2": "num_workers=2, persistent_workers=True",
}


@pytest.mark.parametrize("change", CHANGED)
def test_a_setting_is_added(bench: Bench, change: str) -> None:
    assert bench.changed(PLAIN, change) == (
        "-loader = DataLoader(TensorDataset(x, y), batch_size=16)\n"
        f"+loader = DataLoader(TensorDataset(x, y), batch_size=16, {CHANGED[change]})"
    )


def test_a_setting_is_exchanged(bench: Bench) -> None:
    patch = bench.patch(TRAINER, "loader.shuffle")
    assert (
        "\t\tself.train_loader = DataLoader(data, batch_size=args.batch_size, shuffle=True)\n" in patch.after
    )
    assert patch.says == "shuffle=False -> shuffle=True at train.py:25"


def test_the_first_loader_of_a_trainer_is_the_one_for_training(bench: Bench) -> None:
    for change, wanted in CHANGED.items():
        changed = bench.changed(LIT, change, facts=LIT_PLACES)
        assert f"DataLoader(train, batch_size=8, {wanted}), DataLoader(val, batch_size=8))" in changed


def test_the_loader_of_a_module_of_data(bench: Bench) -> None:
    program = """\
        class Data(L.LightningDataModule):
            def train_dataloader(self):
                return DataLoader(self.train, batch_size=8)
            def val_dataloader(self):
                return DataLoader(self.val, batch_size=8)
        trainer.fit(Net(), datamodule=Data())
    """
    changed = bench.changed(program, "loader.shuffle", facts={LOADER_PLACE: "train.py:6"})
    assert changed.endswith("+return DataLoader(self.train, batch_size=8, shuffle=True)")


def test_the_batch_size_is_found_wherever_it_is_written(bench: Bench) -> None:
    assert "batch_size=64)" in bench.changed(PLAIN, "loader.batch_size x 4")
    assert "default=4, type=int" in bench.changed(TRAINER, "loader.batch_size x 0.125")
    assert (
        bench.changed("BS = 2\nloader = DataLoader(data, BS)\n", "loader.batch_size 64")
        == "-BS = 2\n+BS = 64"
    )
    assert "+per_device_train_batch_size=16" in bench.changed(HF, "loader.batch_size x 2").replace(",", "")
    assert bench.changed("import keras\nmodel.fit(x, y, batch_size=2)\n", "loader.batch_size x 8") == (
        "-model.fit(x, y, batch_size=2)\n+model.fit(x, y, batch_size=16)"
    )


def test_workers_that_are_there_are_counted_anew(bench: Bench) -> None:
    program = "loader = DataLoader(data, num_workers=0)\n"
    assert bench.changed(program, "loader.num_workers 4").endswith(
        "+loader = DataLoader(data, num_workers=4)"
    )


REFUSED = {
    ("loader.shuffle", "loader = DataLoader(data, sampler=s)\n"): "the order is set by sampler at train.py:1",
    (
        "loader.shuffle",
        "loader = DataLoader(data, shuffle=True)\n",
    ): "the data is already shuffled at train.py:1",
    ("loader.shuffle", "loader = DataLoader(data, shuffle=not test)\n"): (
        "shuffle is computed (not test) at train.py:1"
    ),
    ("loader.shuffle", "a, b = DataLoader(one), DataLoader(two)\n"): (
        "the training data loader is ambiguous at train.py:1"
    ),
    ("loader.num_workers 2", "batches = x.split(8)\n"): "no training data loader found in train.py",
    ("loader.batch_size x 2", "loader = DataLoader(data, batch_sampler=s)\n"): (
        "batches come from a batch_sampler at train.py:1"
    ),
    ("loader.batch_size x 2", "loader = DataLoader(data, batch_size=len(data) // 9)\n"): (
        "the batch size is computed (len(data) // 9) at train.py:1"
    ),
}


@pytest.mark.parametrize(("change", "program"), REFUSED)
def test_what_is_not_clear_is_refused(bench: Bench, change: str, program: str) -> None:
    assert bench.refusal(program, change) == REFUSED[change, program]
