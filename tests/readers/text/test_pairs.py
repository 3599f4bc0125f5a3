from traindx.readers.text.lines import normal_of, parted
from traindx.readers.text.pairs import pattern_of
from traindx.readers.text.patterns import Pattern, Place
from traindx.run import Split


def read(line: str) -> tuple[Pattern, list[str]]:
    raw, numbers = parted(line)
    normal = normal_of(raw)
    return pattern_of(normal.shape), normal.numbers(numbers)


def pairs(line: str) -> dict[str, str]:
    pattern, numbers = read(line)
    return {pair.name: ("-" if pair.sign < 0 else "") + numbers[pair.hole] for pair in pattern.pairs}


def places(line: str) -> list[tuple[Place, str, str | None]]:
    pattern, numbers = read(line)
    return [
        (p.place, numbers[p.hole], None if p.total is None else numbers[p.total]) for p in pattern.positions
    ]


def test_names_and_numbers_in_every_notation() -> None:
    assert pairs("loss: 1, 'acc': 2, \"ppl\"=3 lr = 4 | gnorm 5 | val loss -6") == {
        "loss": "1",
        "acc": "2",
        "ppl": "3",
        "lr": "4",
        "gnorm": "5",
        "val loss": "-6",
    }
    assert pairs("elapsed time per iteration (ms): 2152.2 | number of nan iterations:   0 |") == {
        "elapsed time per iteration (ms)": "2152.2",
        "number of nan iterations": "0",
    }


def test_words_without_a_mark_are_names_only_if_known() -> None:
    assert pairs("stuck at loss 8 after 3 hours") == {"loss": "8"}
    assert pairs("took 5 of 7 days") == {}
    assert pairs("iteration 1 | foo bar 3 | baz 4 |") == {"foo bar": "3", "baz": "4"}


def test_the_value_and_not_the_average_beside_it() -> None:
    assert pairs("Loss 6.9 (7.1) Acc@1: 3.0% (4.0%)") == {"Loss": "6.9", "Acc@1": "3.0"}
    assert pairs("Test: [3/9] Loss 6.9 (7.1)") == {"Loss": "7.1"}


def test_clocks_and_options_are_no_values() -> None:
    assert pairs("eta: 0:12:01 elapsed: 1h 3m time: 3 days, 2:01:00 loss: 1") == {"loss": "1"}
    assert pairs("python train.py --lr 0.1 -m 3 --loss=4") == {}
    assert pairs("range 3-5 mAP50-95") == {}


def test_numbers_in_names() -> None:
    assert pairs("loss 1 = 0.5, Precision @ 3: 0.7") == {"loss": "0.5", "Precision @": "0.7"}


def test_positions() -> None:
    assert places("Epoch: [2]  [ 120/2669]  loss: 1") == [
        (Place.EPOCH, "2", None),
        (Place.BATCH, "120", "2669"),
    ]
    assert places("epoch 3 | step 4/9 | loss 1") == [(Place.EPOCH, "3", None), (Place.STEP, "4", "9")]
    assert places("epoch 1: 5 / 9 loss=1, num_updates=7")[0] == (Place.STEP, "7", None)
    assert places("End of epoch 3, loss 1") == [(Place.EPOCH, "3", None)]
    assert places("time per step: 5 max epochs: 7 best epoch: 3") == []
    assert places("28it [00:22, 1.53it/s, loss=1]") == [(Place.BAR, "28", None)]


def test_the_split_a_line_speaks_of() -> None:
    assert read("validate step: 10  loss: 1")[0].split is Split.VALIDATION
    assert read("| valid | epoch 1 | valid on 'valid' subset | loss 4.1")[0].split is Split.VALIDATION
    assert read("loss: 1")[0].split is None
    train, val = read("train: loss 1 val: loss 2")[0].pairs
    assert (train.split, val.split) == (Split.TRAIN, Split.VALIDATION)


def test_prose_has_words_that_belong_to_nothing() -> None:
    assert read("step 5: loss 3")[0].words == 0
    assert read("We found that at step 5 the loss was 3 and nobody knew why this should be")[0].words == 9
