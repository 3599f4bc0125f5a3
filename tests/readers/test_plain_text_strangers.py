"""Lines as strangers write them: each log beside what it holds."""

import pytest

from tests.readers.text_series import Series, all_of, log_of, results_of
from traindx.quantities import WALL_TIME

IMAGENET = """
    Epoch: [0][  1/50]\tTime  0.091 ( 0.091)\tLoss 7.2e-01 (7.2e-01)\tAcc@1  40.00 ( 40.00)
    Epoch: [0][ 41/50]\tTime  0.012 ( 0.022)\tLoss 1.3e-01 (3.0e-01)\tAcc@1  94.00 ( 87.32)
     *   Acc@1 87.200 {}
    Epoch: [1][  1/50]\tTime  0.026 ( 0.026)\tLoss 1.9e-01 (1.9e-01)\tAcc@1  90.00 ( 90.00)
    Epoch: [1][ 41/50]\tTime  0.012 ( 0.016)\tLoss 1.5e-02 (5.9e-02)\tAcc@1 100.00 ( 97.95)
     *   Acc@1 98.600 {}
    """
TRAINING: Series = {
    "Loss step": [(1, 0.72), (41, 0.13), (51, 0.19), (91, 0.015)],
    "Acc@1 step": [(1, 40), (41, 94), (51, 90), (91, 100)],
}


@pytest.mark.parametrize(
    ("summaries", "held_out"),
    [
        (("Acc@5 99.000", "Acc@5 99.500"), {"Acc@5 step val": [(41, 99.0), (91, 99.5)]}),
        (("Loss 0.4106", "Loss 0.3106"), {"Loss step val": [(41, 0.4106), (91, 0.3106)]}),
    ],
)
def test_a_starred_summary_is_of_the_validation(summaries: tuple[str, str], held_out: Series) -> None:
    accuracy = {"Acc@1 step val": [(41, 87.2), (91, 98.6)]}
    assert results_of(IMAGENET.format(*summaries)) == {**TRAINING, **accuracy, **held_out}


def test_a_starred_summary_after_lines_of_the_test_is_of_the_test() -> None:
    tested = IMAGENET.format("Acc@5 99.000", "Acc@5 99.500").replace(
        " *   ", "Test: [ 3/4]\tLoss 4.0e-01 (4.05e-01)\tAcc@1 80.00 ( 87.2)\n     *   "
    )
    curves = results_of(tested)
    assert {name: curves[name] for name in TRAINING} == TRAINING
    assert curves["Acc@1 step test"] == [(41, 87.2), (91, 98.6)]


def test_a_bullet_list_under_a_heading_is_no_summary() -> None:
    text = "Epoch 1\n * loss: 0.9\n * acc: 0.5\nEpoch 2\n * loss: 0.8\n * acc: 0.6\n"
    assert results_of(text) == {"loss epoch": [(1, 0.9), (2, 0.8)], "acc epoch": [(1, 0.5), (2, 0.6)]}


CASES: dict[str, tuple[str, Series]] = {
    "a summary without a star does not write over the last batch": (
        """
        Epoch 1 step 10 loss 0.9
        Epoch 1 step 20 loss 0.8
        loss 0.85
        Epoch 2 step 30 loss 0.7
        Epoch 2 step 40 loss 0.6
        loss 0.65
        """,
        {
            "loss step": [(10, 0.9), (20, 0.8), (30, 0.7), (40, 0.6)],
            "summary loss step": [(20, 0.85), (40, 0.65)],
        },
    ),
    "time, what is left, step, per cent, loss": (
        """
        0m 7s (- 6m 1s) (25 2%) 2.3189
        0m 59s (- 5m 1s) (50 4%) 2.1189
        1h 0m 22s (- 4m 1s) (75 6%) 1.9189
        """,
        {"loss step": [(25, 2.3189), (50, 2.1189), (75, 1.9189)]},
    ),
    "time, step, per cent, loss": (
        "0m 24s (100 5%) 2.3\n0m 48s (200 10%) 2.1\n",
        {"loss step": [(100, 2.3), (200, 2.1)]},
    ),
    "step, per cent, time, loss, and a guess": (
        """
        5000 5% (0m 7s) 2.2840 Verhoeven / Dutch
        10000 10% (0m 14s) 1.9840 Chan / Chinese (Korean)
        15000 15% (0m 21s) 1.5840 Rossi / Italian
        """,
        {"loss step": [(5000, 2.284), (10000, 1.984), (15000, 1.584)]},
    ),
    "a mean and over what it was taken": (
        "Epoch 1 avg loss over 100 batches: 0.93\nEpoch 2 avg loss over 100 batches: 0.83\n",
        {"avg loss epoch": [(1, 0.93), (2, 0.83)]},
    ),
    "a mean of the last episodes": (
        """
        Episode 100 | avg reward (last 100 episodes): -23.4 | average score over last 50 episodes = 3
        Episode 200 | avg reward (last 100 episodes): -13.4 | average score over last 50 episodes = 4
        """,
        {"avg reward step": [(100, -23.4), (200, -13.4)], "average score step": [(100, 3), (200, 4)]},
    ),
    "two parts of the data, two numbers": (
        """
        Ep 1/50 - loss (train/val): 0.91/0.95 - Train/Val Acc: 0.50 / 0.48
        Ep 2/50 - loss (train/val): 0.81/0.85 - Train/Val Acc: 0.60 / 0.58
        """,
        {
            "loss train epoch train": [(1, 0.91), (2, 0.81)],
            "loss val epoch val": [(1, 0.95), (2, 0.85)],
            "Acc Train epoch train": [(1, 0.5), (2, 0.6)],
            "Acc Val epoch val": [(1, 0.48), (2, 0.58)],
        },
    ),
    "two accuracies are no share": (
        "Epoch 1: loss 0.9 acc 0.50/0.48\nEpoch 2: loss 0.8 acc 0.60/0.58\n",
        {"loss epoch": [(1, 0.9), (2, 0.8)], "acc epoch": [(1, 0.5), (2, 0.6)]},
    ),
    "so many of so many are a share": (
        "Epoch 1: loss 0.9 acc 50/80\nEpoch 2: loss 0.8 acc 60/80\n",
        {"loss epoch": [(1, 0.9), (2, 0.8)], "acc epoch": [(1, 62.5), (2, 75)]},
    ),
    "Loguru": (
        """
        2025-09-18 15:35:05.641 | INFO     | package.trainer:report:209 - Epoch 0 train 0.7262 loss 0.5461
        2025-09-18 15:37:00.550 | INFO     | package.trainer:report:209 - Epoch 1 train 0.4305 loss 0.4013
        2025-09-18 15:38:56.626 | INFO     | __main__:<module>:20 - Epoch 2 train 0.3435 loss 0.3324
        """,
        {"loss epoch train": [(0, 0.5461), (1, 0.4013), (2, 0.3324)]},
    ),
    "an arrow": (
        "Epoch 1: train loss 0.9 \u2192 val loss 0.8\nEpoch 2: train loss 0.7 \u2192 val loss 0.6\n",
        {"train loss epoch": [(1, 0.9), (2, 0.7)], "val loss epoch": [(1, 0.8), (2, 0.6)]},
    ),
    "pictures": (
        """
        \u2705 Epoch 1: loss 0.5 \U0001f4c9 val_loss 0.6
        \u2705 [Epoch 2]: loss 0.4 \U0001f4c9 val_loss 0.5
        """,
        {"loss epoch": [(1, 0.5), (2, 0.4)], "val_loss epoch": [(1, 0.6), (2, 0.5)]},
    ),
    "a word that tells what a time is of": (
        """
        Epoch 1 train time 12.1 eval time 3.1 loss 0.9
        Epoch 2 train time 12.2 eval time 3.2 loss 0.8
        """,
        {"loss epoch train": [(1, 0.9), (2, 0.8)]},
    ),
    "a number sign": (
        "#10 loss=2.1 ppl=8.2\n#20 loss=2.0 ppl=7.4\n",
        {"loss step": [(10, 2.1), (20, 2.0)], "ppl step": [(10, 8.2), (20, 7.4)]},
    ),
    "a sentence": (
        """
        At step 10 the loss is 2.1 and the accuracy is 0.3
        At step 20 the loss is 2.0 and the accuracy is 0.4
        """,
        {"loss step": [(10, 2.1), (20, 2.0)], "accuracy step": [(10, 0.3), (20, 0.4)]},
    ),
    "MXNet": (
        """
        INFO:root:Epoch[0] Batch [0-100]\tSpeed: 1234.56 samples/sec\taccuracy=0.45
        INFO:root:Epoch[0] Batch [100-200]\tSpeed: 1234.56 samples/sec\taccuracy=0.55
        INFO:root:Epoch[0] Validation-accuracy=0.61
        INFO:root:Epoch[1] Batch [0-100]\tSpeed: 1234.56 samples/sec\taccuracy=0.65
        INFO:root:Epoch[1] Batch [100-200]\tSpeed: 1234.56 samples/sec\taccuracy=0.75
        INFO:root:Epoch[1] Validation-accuracy=0.71
        """,
        {
            "accuracy step": [(100, 0.45), (200, 0.55), (300, 0.65), (400, 0.75)],
            "Validation-accuracy epoch": [(0, 0.61), (1, 0.71)],
        },
    ),
    "Paddle counts the batches of an evaluation like steps": (
        """
        Epoch 1/2
        step  10/938 - loss: 1.0 - acc: 0.5 - 8ms/step
        step 938/938 - loss: 0.5 - acc: 0.8 - 8ms/step
        Eval begin...
        step  10/157 - loss: 0.4 - acc: 0.8 - 5ms/step
        step 157/157 - loss: 0.3 - acc: 0.9 - 5ms/step
        Eval samples: 10000
        Epoch 2/2
        step  10/938 - loss: 0.4 - acc: 0.85 - 8ms/step
        step 938/938 - loss: 0.3 - acc: 0.9 - 8ms/step
        Eval begin...
        step  10/157 - loss: 0.3 - acc: 0.9 - 5ms/step
        step 157/157 - loss: 0.2 - acc: 0.95 - 5ms/step
        """,
        {
            "loss step": [(10, 1.0), (938, 0.5), (948, 0.4), (1876, 0.3)],
            "loss step val": [(938, 0.3), (1876, 0.2)],
            "acc step": [(10, 0.5), (938, 0.8), (948, 0.85), (1876, 0.9)],
            "acc step val": [(938, 0.9), (1876, 0.95)],
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_strangers_write(name: str) -> None:
    text, expected = CASES[name]
    assert results_of(text) == expected


def test_a_speed_is_named_by_its_unit() -> None:
    text = "step 1 loss 2 Speed: 120.5 samples/sec\nstep 2 loss 1 Speed: 121.5 samples/sec\n"
    assert all_of(text)["Speed samples/sec step"] == [(1, 120.5), (2, 121.5)]


@pytest.mark.parametrize(("name", "scale"), [("ts", 1), ("time", 1), ("timestamp", 1000)])
def test_a_time_stamp_among_the_values_is_the_time_of_writing(name: str, scale: int) -> None:
    log = log_of("".join(f"step={n} {name}={(1763250000 + n) * scale} loss={1 / n}\n" for n in (1, 2, 3)))
    (stamps,) = (column for column in log.columns if column.name == name)
    assert stamps.quantity is WALL_TIME
    assert stamps.values.tolist() == [1763250001, 1763250002, 1763250003]


def test_other_numbers_of_that_name_are_not() -> None:
    log = log_of("step=1 ts=2048 time=0.5 loss=2\nstep=2 ts=4096 time=0.4 loss=1\n")
    assert all(column.quantity is None for column in log.columns)
