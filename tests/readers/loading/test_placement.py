"""Names such as `val`, which tell a part of the data and no measure."""

from pathlib import Path

import pytest

import traindx

LOSS = [0.98, 0.9, 0.77, 0.62]
LOWER = [0.95, 0.85, 0.69, 0.57]
RISING = [0.25, 0.4, 0.5, 0.6]


def read(path: Path, line: str, *series: list[float]) -> tuple[dict[str, list[float]], traindx.Run]:
    """What stands in a log with a line per epoch, by quantity and part."""
    path.write_text(
        "".join(line.format(n, *row) + "\n" for n, row in enumerate(zip(*series, strict=True), 1))
    )
    (run,) = traindx.load(path)
    return {f"{s.quantity.slug} {s.part}".strip(): s.values.tolist() for s in run.series}, run


@pytest.mark.parametrize(
    "line",
    [
        "epoch {} loss {} val {}",
        "epoch {} loss={} val={}",
        "Epoch {} | loss: {} | valid: {}",
        "{{epoch: {}, loss: {}, val: {}}}",
        "[epoch={}] train_loss {} val {}",
        "epoch {} loss train {} val {}",
        "epoch {} Train/Val Loss: {} / {}",
    ],
)
def test_a_part_of_the_data_takes_the_measure_beside_it(tmp_path: Path, line: str) -> None:
    curves, _ = read(tmp_path / "t.log", line, LOSS, LOWER)
    assert curves == {"train_loss": LOSS, "val_loss": LOWER}


@pytest.mark.parametrize(
    "line",
    [
        "Epoch {}: train {} valid {}",
        "[{}/100] train={} val={}",
        "{}/100 train {} dev {}",
        "epoch   {}   train   {}   eval   {}",
        "epoch {} - training: {} - validation: {}",
    ],
)
def test_where_nothing_else_is_named_they_are_losses_and_it_is_said(tmp_path: Path, line: str) -> None:
    curves, run = read(tmp_path / "t.log", line, LOSS, LOWER)
    assert curves == {"train_loss": LOSS, "val_loss": LOWER}
    (note,) = run.notes
    assert note.startswith("read as loss, because the name is only a data split: ")


def test_a_table_is_read_alike(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("epoch,train,val\n1,0.9,0.95\n2,0.8,0.85\n3,0.7,0.8\n")
    (run,) = traindx.load(tmp_path / "a.csv")
    assert {s.quantity.slug: s.values.tolist() for s in run.series} == {
        "train_loss": [0.9, 0.8, 0.7],
        "val_loss": [0.95, 0.85, 0.8],
    }


def test_accuracies_beside_them_keep_their_split(tmp_path: Path) -> None:
    line = "epoch {} train {} acc {} valid {} acc {}"
    curves, _ = read(tmp_path / "t.log", line, LOSS, RISING, LOWER, [0.2, 0.3, 0.4, 0.5])
    assert curves == {
        "train_loss": LOSS,
        "val_loss": LOWER,
        "train_accuracy": RISING,
        "val_accuracy": [0.2, 0.3, 0.4, 0.5],
    }


def test_a_value_on_a_line_of_its_own(tmp_path: Path) -> None:
    curves, run = read(tmp_path / "t.log", "step {}: loss {}\nval: {}", LOSS, LOWER)
    assert curves == {"train_loss": LOSS, "val_loss": LOWER}
    assert run.notes == ("read as loss, the metric logged next to them: val",)


def test_another_measure_than_loss(tmp_path: Path) -> None:
    curves, _ = read(tmp_path / "t.log", "epoch {} mse {} val {}", LOSS, LOWER)
    assert curves == {"train_error mse": LOSS, "val_error mse": LOWER}


def test_a_validation_loss_that_turns_up_is_one(tmp_path: Path) -> None:
    turning = [0.95, 0.75, 1.15, 1.45]
    curves, _ = read(tmp_path / "t.log", "epoch {} loss {} val {}", LOSS, turning)
    assert curves["val_loss"] == turning


@pytest.mark.parametrize(
    "line", ["epoch {} loss {} train {} val {}", "Epoch: {}, Loss: {}, Train: {}%, Val: {}%"]
)
def test_beside_a_loss_rising_numbers_of_both_parts_are_scores(tmp_path: Path, line: str) -> None:
    curves, run = read(tmp_path / "t.log", line, LOSS, RISING, [0.2, 0.3, 0.4, 0.5])
    assert curves == {"train_loss": LOSS, "train_score": RISING, "val_score": [0.2, 0.3, 0.4, 0.5]}
    assert "read as score" in run.notes[0]


@pytest.mark.parametrize(
    ("line", "series", "why"),
    [
        ("epoch {} loss {} acc {} val {}", (LOSS, RISING, RISING), "may be loss, accuracy"),
        ("epoch {} loss {} dev {}", (LOSS, [45.2, 50.1, 55.9, 60.3]), "far from the loss"),
        ("epoch {} loss {} eval {}", (LOSS, [1, 2, 3, 4]), "integers"),
        ("epoch {} loss {} val {}", (LOSS, RISING), "rises like a score"),
        ("epoch {} train {} val {}", ([45.2, 50.1, 55.9, 60.3], LOSS), "rises like a score"),
        ("epoch {} loss {} train {} val {}", (LOSS, LOWER, LOWER), "the loss has another column"),
    ],
)
def test_what_is_not_told_is_left(
    tmp_path: Path, line: str, series: tuple[list[float], ...], why: str
) -> None:
    curves, run = read(tmp_path / "t.log", line, *series)
    assert not {"val_loss", "val_score", "val_accuracy"} & set(curves)
    assert run.unread
    assert all(why in unread.why for unread in run.unread)


def test_a_bare_val_alone_may_be_any_value(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("step,val\n1,0.9\n2,0.8\n3,0.7\n")
    (run,) = traindx.load(tmp_path / "a.csv")
    assert run.series == ()
    assert [(u.name, u.count) for u in run.unread] == [("val", 3)]


def test_values_that_are_nan_stay_losses(tmp_path: Path) -> None:
    curves, _ = read(tmp_path / "t.log", "epoch {} loss {} val {}", LOSS, [float("nan")] * 4)
    assert len(curves["val_loss"]) == 4


def test_durations_and_numbers_of_samples_are_no_results(tmp_path: Path) -> None:
    line = "Epoch {}: loss {}, train 12.3s, eval 2.1 s, test 10000 images"
    curves, _ = read(tmp_path / "t.log", line, LOSS)
    assert curves == {"train_loss": LOSS}
