"""Labels that start at 1, shifted where the data of a program makes them."""

import pytest

from tests.changes.source.sources import Bench
from traindx.facts import LOSS_PLACE, LOWEST_LABEL
from traindx.run import Fact, Scalar

ROWS = """\
    class Ratings(Dataset):
        def __getitem__(self, i):
            row = self.rows[i]
            return {"input_ids": torch.tensor(row["ids"]), "labels": torch.tensor(row["stars"])}

    trainer.train()
"""
PAIRS = """\
    class Scans(Dataset):
        def __getitem__(self, i):
            grade = int(self.grades[i])
            return self.images[i], grade

    trainer.fit(model, DataLoader(Scans()))
"""
MAPPED = """\
    def encode(example):
        out = tokenizer(example["text"])
        out["labels"] = example["stars"]
        return out

    data = data.map(encode)
    trainer.train()
"""
COLLATED = """\
    def collate(rows):
        return {"x": stack(rows), "label": torch.tensor([row["level"] for row in rows])}

    trainer.train()
"""
TENSORS = """\
    def pack(x, y):
        return TensorDataset(torch.tensor(x), torch.tensor(y))

    trainer.fit(model, DataLoader(pack(x, y)))
"""
SHIFTED = {
    ROWS: '"labels": torch.tensor(row["stars"]) - 1}',
    PAIRS: "return self.images[i], grade - 1",
    MAPPED: 'out["labels"] = example["stars"] - 1',
    COLLATED: '"label": torch.tensor([row["level"] for row in rows]) - 1}',
    TENSORS: "return TensorDataset(torch.tensor(x), torch.tensor(y) - 1)",
}


@pytest.mark.parametrize("program", SHIFTED)
def test_labels_are_shifted_in_the_data(bench: Bench, program: str) -> None:
    facts: dict[Fact, Scalar] = {LOWEST_LABEL: 1, LOSS_PLACE: f"train.py:{program.count(chr(10))}"}
    changed = bench.changed(program, "targets.start_at_zero", facts=facts)
    assert len(changed.splitlines()) == 2
    assert changed.endswith(SHIFTED[program])


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (ROWS + PAIRS, "labels are made in several places (train.py:10, train.py:4)"),
        (MAPPED.replace("map(encode)", "map(encode, batched=True)"), "is not a direct call of a torch loss"),
        (ROWS.replace('torch.tensor(row["stars"])', "[2, 3]"), "is not a direct call of a torch loss"),
    ],
)
def test_labels_of_unclear_data_are_left_alone(bench: Bench, program: str, why: str) -> None:
    facts: dict[Fact, Scalar] = {LOWEST_LABEL: 1, LOSS_PLACE: f"train.py:{program.count(chr(10))}"}
    assert why in bench.refusal(program, "targets.start_at_zero", facts)
