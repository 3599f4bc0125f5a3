# ruff: noqa: E501  the lines of logs are as long as they are
"""Kinds of logs that people have: a line or two of each beside what it holds."""

import pytest

from tests.readers.text_series import Series, all_of, log_of, results_of
from traindx.facts import FRAMEWORK
from traindx.readers.loading.files import in_memory
from traindx.readers.loading.runs import fell_over, read
from traindx.readers.plain_text import READER
from traindx.run import EventKind

_NO_BATCHES_KNOWN = """
    Epoch 0: : 0it [00:00, ?it/s]\rEpoch 0: : 0it [04:20, ?it/s, loss=1.33, avg_ep_reward=-.0399]
    Epoch 1: : 0it [04:20, ?it/s, loss=1.33, avg_ep_reward=-.0399]\rEpoch 1: : 0it [08:47, ?it/s, loss=1.4, avg_ep_reward=0.02]  Epoch 1, global step 16: 'avg_ep_reward' was not in top 1
    Epoch 2: : 0it [08:47, ?it/s, loss=1.4, avg_ep_reward=0.02]\rEpoch 2: : 0it [09:47, ?it/s, loss=1.2, avg_ep_reward=-.5]
    """

CASES: dict[str, tuple[str, Series]] = {
    "a batch of so many in an epoch that is named after it": (
        """
        Namespace(batch_size=2, learning_rate=1e-05, num_epoch=1)
        0/400 in 0 epoch finished at time 0:00:28.354570 from start, Loss is 2.64 Acc is 0.41
        1/400 in 0 epoch finished at time 0:00:30.679052 from start, Loss is 1.55 Acc is 0.64
        399/400 in 0 epoch finished at time 0:10:30.679052 from start, Loss is 0.55 Acc is 0.74
        0/400 in 1 epoch finished at time 0:10:31.679052 from start, Loss is 0.75 Acc is 0.70
        """,
        {
            "Loss step": [(0, 2.64), (1, 1.55), (399, 0.55), (400, 0.75)],
            "Acc step": [(0, 0.41), (1, 0.64), (399, 0.74), (400, 0.70)],
        },
    ),
    "the score of DL4J is its loss": (
        """
        06:38:16.402 [main] INFO org.deeplearning4j.optimize.listeners.ScoreIterationListener - Score at iteration 0 is 1.6235184989295723
        06:39:50.616 [main] INFO org.deeplearning4j.optimize.listeners.ScoreIterationListener - Score at iteration 100 is -1.25
        """,
        {"loss step": [(0, 1.623518499), (100, -1.25)]},
    ),
    "a step, a word and a number, as build-nanogpt writes": (
        """
        0 val 11.09
        0 hella 0.25
        0 train 11.08
        1 train 10.97
        2 train 10.75
        """,
        {"hella step": [(0, 0.25)]},
    ),
    "as many names as values": (
        """
        Epoch 1 Train loss, acc: 0.91, 0.5
        Epoch 1 Valid loss, acc: 0.95 0.4
        Epoch 2 Train loss, acc: 0.71, 0.6
        Epoch 2 Valid loss, acc: 0.75 0.5
        """,
        {
            "Train loss epoch train": [(1, 0.91), (2, 0.71)],
            "acc epoch train": [(1, 0.5), (2, 0.6)],
            "Valid loss epoch val": [(1, 0.95), (2, 0.75)],
            "acc epoch val": [(1, 0.4), (2, 0.5)],
        },
    ),
    "steps after printed settings": (
        """
        {
         "feature_fraction": 0.7,
         "learning_rate": 0.2,
         "num_leaves": 10
        }
        [20]\tvalid's binary_logloss: 0.533
        [40]\tvalid's binary_logloss: 0.531
        [60]\tvalid's binary_logloss: 0.530
        """,
        {"valid's binary_logloss step": [(20, 0.533), (40, 0.531), (60, 0.53)]},
    ),
    "steps in thousands": (
        """
        INFO 2026-06-12 10:53:24 train.py:357 step:600 smpl:19K ep:61 epch:1.52 loss:1.7 grdn:43.4 lr:1.0e-05 updt_s:0.501
        INFO 2026-06-12 10:55:03 train.py:357 step:800 smpl:26K ep:81 epch:2.02 loss:1.4 grdn:38.6 lr:1.0e-05 updt_s:0.501
        INFO 2026-06-12 10:57:46 train.py:357 step:1K smpl:32K ep:101 epch:2.53 loss:1.2 grdn:34.8 lr:1.0e-05 updt_s:0.502
        INFO 2026-06-12 10:59:42 train.py:357 step:1K smpl:38K ep:121 epch:3.03 loss:1.1 grdn:31.8 lr:1.0e-05 updt_s:0.502
        INFO 2026-06-12 10:59:43 train.py:400 Checkpoint policy after step 1200
        INFO 2026-06-12 11:02:42 train.py:357 step:1K smpl:45K ep:141 epch:3.54 loss:1.0 grdn:29.8 lr:1.0e-05 updt_s:0.502
        INFO 2026-06-12 11:04:42 train.py:357 step:2K smpl:51K ep:2K epch:4.04 loss:0.9 grdn:27.8 lr:1.0e-05 updt_s:0.502
        """,
        {"loss step": [(600, 1.7), (800, 1.4), (1000, 1.2), (1200, 1.1), (1400, 1.0), (1600, 0.9)]},
    ),
    "steps with a thousands comma before another comma": (
        """
        2025-02-04 17:41:43,867 INFO: [base..][epoch: 30, iter:     900, lr:(2.382e-05,)] [eta: 2:09:45, time (data): 1.767 (0.290)] l_pix: 2.6e-04 l_total: 5.1e-02
        2025-02-04 17:45:04,339 INFO: [base..][epoch: 32, iter:   1,000, lr:(2.304e-05,)] [eta: 2:06:27, time (data): 1.891 (0.406)] l_pix: 2.2e-04 l_total: 4.8e-02
        2025-02-04 17:45:04,339 INFO: [base..][epoch: 34, iter:   1,100, lr:(2.304e-05,)] [eta: 2:06:27, time (data): 1.891 (0.406)] l_pix: 2.1e-04 l_total: 4.4e-02
        """,
        {
            "l_pix step": [(900, 0.00026), (1000, 0.00022), (1100, 0.00021)],
            "l_total step": [(900, 0.051), (1000, 0.048), (1100, 0.044)],
        },
    ),
    "bars that never move": (
        _NO_BATCHES_KNOWN,
        {
            "loss epoch": [(0, 1.33), (1, 1.4), (2, 1.2)],
            "avg_ep_reward epoch": [(0, -0.0399), (1, 0.02), (2, -0.5)],
        },
    ),
    "bars of Keras without epochs": (
        """
        10/10 ━━━━━━━━━━━━━━━━━━━━ 3s 2ms/step - accuracy: 0.19 - loss: 2.5
        WARNING:absl:You are saving your model as an HDF5 file via `model.save()`.
        10/10 ━━━━━━━━━━━━━━━━━━━━ 3s 2ms/step - accuracy: 0.29 - loss: 2.1
        WARNING:absl:You are saving your model as an HDF5 file via `model.save()`.
        10/10 ━━━━━━━━━━━━━━━━━━━━ 3s 2ms/step - accuracy: 0.39 - loss: 1.9
        """,
        {
            "accuracy step": [(10, 0.19), (20, 0.29), (30, 0.39)],
            "loss step": [(10, 2.5), (20, 2.1), (30, 1.9)],
        },
    ),
    "one word before an epoch of so many": (
        """
        Pretraining Epoch 1/3
        Loss: 2.88
        Pretraining Epoch 2/3
        Loss: 2.94
        Pretraining Epoch 3/3
        Loss: 2.5
        """,
        {"Loss epoch": [(1, 2.88), (2, 2.94), (3, 2.5)]},
    ),
    "epochs counted behind the name of a part of the data": (
        """
        Epoch: 1 Loss: 3.72 Acc: 0.00 : 100%|##########| 90/90 [01:52<00:00,  8.93it/s]
        Test : 1 Loss: 3.73 Acc: 0.01 : 100%|##########| 9/9 [00:05<00:00, 17.52it/s]
        Epoch: 2 Loss: 2.39 Acc: 0.38 : 100%|##########| 90/90 [01:52<00:00,  8.89it/s]
        Test : 2 Loss: 2.84 Acc: 0.15 : 100%|##########| 9/9 [00:05<00:00, 16.95it/s]
        Epoch: 3 Loss: 0.14 Acc: 0.84 : 100%|##########| 90/90 [01:52<00:00,  8.92it/s]
        Test : 3 Loss: 0.16 Acc: 0.81 : 100%|##########| 9/9 [00:05<00:00, 17.31it/s]
        """,
        {
            "Loss step": [(90, 3.72), (180, 2.39), (270, 0.14)],
            "Acc step": [(90, 0.0), (180, 0.38), (270, 0.84)],
            "Loss epoch test": [(1, 3.73), (2, 2.84), (3, 0.16)],
            "Acc epoch test": [(1, 0.01), (2, 0.15), (3, 0.81)],
        },
    ),
    "what a line of prose heads": (
        """
        2021-09-25 15:51:54,302 __main__     INFO     Quality on the data of the two big shops: {'mape': 1.94, 'r2': 0.32}
        2021-09-25 15:53:54,302 __main__     INFO     Quality on the data of the two big shops: {'mape': 1.67, 'r2': 0.36}
        2021-09-25 15:55:54,302 __main__     INFO     Quality on the data of the two big shops: {'mape': 1.44, 'r2': 0.41}
        """,
        {
            "mape record": [(0, 1.94), (1, 1.67), (2, 1.44)],
            "r2 record": [(0, 0.32), (1, 0.36), (2, 0.41)],
        },
    ),
    "the consoles of Paddle": (
        """
        2021-06-20 10:00:00 [INFO]\t[TRAIN] epoch: 1, iter: 10/1000, loss: 2.3, lr: 0.01, batch_cost: 0.9, reader_cost: 0.02, ips: 4.3 samples/sec | ETA 00:10:02
        2021-06-20 10:01:00 [INFO]\t[TRAIN] epoch: 1, iter: 20/1000, loss: 1.3, lr: 0.01, batch_cost: 0.9, reader_cost: 0.02, ips: 4.3 samples/sec | ETA 00:10:02
        2021-06-20 10:02:00 [INFO]\t[EVAL] #Images: 500, mIoU: 0.31, Acc: 0.85
        2021-06-20 10:03:00 [INFO]\t[TRAIN] epoch: 2, iter: 30/1000, loss: .98, lr: 0.01, batch_cost: 0.9, reader_cost: 0.02, ips: 4.3 samples/sec | ETA 00:10:02
        2021-06-20 10:04:00 [INFO]\t[EVAL] #Images: 500, mIoU: 0.42, Acc: 0.88
        """,
        {
            "loss step train": [(10, 2.3), (20, 1.3), (30, 0.98)],
            "mIoU step val": [(20, 0.31), (30, 0.42)],
            "Acc step val": [(20, 0.85), (30, 0.88)],
        },
    ),
    "how long an epoch took, in brackets": (
        """
        Epoch 1/3 [38.7s] | LR: 3.8e-06 | Train Loss: 2.72 | Val Loss: 1.23
        Epoch 2/3 [34.3s] | LR: 7.1e-06 | Train Loss: 2.67 | Val Loss: 1.20
        Epoch 3/3 [35.1s] | LR: 9.1e-06 | Train Loss: 2.57 | Val Loss: 1.10
        """,
        {
            "Train Loss epoch": [(1, 2.72), (2, 2.67), (3, 2.57)],
            "Val Loss epoch": [(1, 1.23), (2, 1.20), (3, 1.10)],
        },
    ),
    "tensors": (
        """
        step 10 loss tensor(9.19, grad_fn=<AddBackward0>) acc tensor([0.5], device='cuda:0')
        step 20 loss tensor(8.19, grad_fn=<AddBackward0>) acc tensor([0.6], device='cuda:0')
        """,
        {"loss step": [(10, 9.19), (20, 8.19)], "acc step": [(10, 0.5), (20, 0.6)]},
    ),
    "the tables of YOLOv5, whose rows are printed late": (
        "     Epoch   gpu_mem       box       obj       cls     total    labels  img_size\n"
        "Plotting labels... \n"
        "autoanchor: Analyzing anchors... anchors/target = 4.89\n"
        "\n"
        "  0%|          | 0/9 [00:00<?, ?it/s]\r"
        "      0/1     0.38G   0.01187  0.005397         0   0.01727        31       640:   0%|          | 0/9 [00:39<?, ?it/s]\r"
        "      0/1     2.73G    0.0108  0.003705         0    0.0145        15       640: 100%|##########| 9/9 [00:41<00:00, 4.6s/it]\n"
        "               Class      Images      Labels           P           R      mAP@.5  mAP@.5:.95: 100%|##########| 3/3 [00:39<00:00,  1.46s/it]\n"
        "\n"
        "     Epoch   gpu_mem       box       obj       cls     total    labels  img_size\n"
        "                 all         857         857           1       0.982       0.996       0.916\n"
        "\n"
        "  0%|          | 0/9 [00:00<?, ?it/s]\r"
        "      1/1     2.71G   0.01083  0.002969         0    0.0135        28       640: 100%|##########| 9/9 [00:21<00:00, 1.83s/it]\n"
        "               Class      Images      Labels           P           R      mAP@.5  mAP@.5:.95: 100%|##########| 3/3 [00:39<00:00,  1.46s/it]\n"
        "                 all         857         857           1       0.992       0.997       0.926\n",
        {
            "box_loss epoch": [(0, 0.0108), (1, 0.01083)],
            "obj_loss epoch": [(0, 0.003705), (1, 0.002969)],
            "cls_loss epoch": [(0, 0), (1, 0)],
            "total_loss epoch": [(0, 0.0145), (1, 0.0135)],
            "precision epoch val": [(0, 1), (1, 1)],
            "recall epoch val": [(0, 0.982), (1, 0.992)],
            "mAP@.5 epoch val": [(0, 0.996), (1, 0.997)],
            "mAP@.5-.95 epoch val": [(0, 0.916), (1, 0.926)],
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_people_have(name: str) -> None:
    text, expected = CASES[name]
    assert results_of(text) == expected


def test_numbers_of_bare_parts_of_the_data_are_read() -> None:
    text = CASES["a step, a word and a number, as build-nanogpt writes"][0]
    curves = all_of(text)
    assert curves["val step val"] == [(0, 11.09)]
    assert curves["train step train"] == [(0, 11.08), (1, 10.97), (2, 10.75)]


def test_columns_beside_rounded_steps() -> None:
    curves = all_of(CASES["steps in thousands"][0])
    assert curves["grdn step"][:2] == [(600, 43.4), (800, 38.6)]
    assert curves["smpl step"][:2] == [(600, 19_000), (800, 26_000)]
    assert curves["epch step"][-1] == (1600, 4.04)
    assert "ep step" not in curves  # episodes


@pytest.mark.parametrize(
    ("lines", "framework"),
    [
        ("[10]\ttraining's auc: 0.6\tvalid_1's auc: 0.5\n[20]\ttraining's auc: 0.7\tvalid_1's auc: 0.6", "lightgbm"),
        ("[10]\ttrain-rmse:0.71\tvalidation_0-rmse:0.82\n[20]\ttrain-rmse:0.61\tvalidation_0-rmse:0.8", "xgboost"),
        (
            "0:\tlearn: 0.69\ttest: 0.68\tbest: 0.68 (0)\ttotal: 62.1ms\tremaining: 1m 2s\n"
            "1:\tlearn: 0.67\ttest: 0.66\tbest: 0.66 (1)\ttotal: 92.1ms\tremaining: 1m 1s",
            "catboost",
        ),
        ("Fit lightgbm\nloss: 0.5\nFit lightgbm\nloss: 0.4\nFit lightgbm\nloss: 0.3", "lightgbm"),
        ("import xgboost\nepoch 1 loss 0.5\nepoch 2 loss 0.4", None),
        ("epoch 1 loss 0.5\nepoch 2 loss 0.4", None),
    ],
)  # fmt: skip
def test_boosted_trees_are_told(lines: str, framework: str | None) -> None:
    assert log_of(lines).facts.get(FRAMEWORK) == framework


_TRACEBACK = """
    Traceback (most recent call last):
      File "train.py", line 8, in <module>
        main()
    RuntimeError: CUDA error: device-side assert triggered
    CUDA kernel errors might be asynchronously reported at some other API call.
    """


@pytest.mark.parametrize(
    ("end", "says"),
    [
        (_TRACEBACK, "RuntimeError: CUDA error: device-side assert triggered"),
        ("CUDA error: an illegal memory access was encountered", None),
        (
            "train.sh: line 3:  4211 Segmentation fault      (core dumped) python train.py",
            "Segmentation fault",
        ),
        ("terminate called after throwing an instance of 'c10::Error'", None),
    ],
)
def test_the_error_a_log_ends_with_is_told(end: str, says: str | None) -> None:
    records = "epoch 1 loss 0.5\nepoch 2 loss 0.4\n"
    for text in (records + end, "loading data\nbuilding model\n" + end):
        (event,) = log_of(text).events
        assert event.kind is EventKind.EXCEPTION
        assert event.says.startswith(says or end)


def test_a_log_without_numbers_that_ends_in_an_error_is_a_run() -> None:
    source = in_memory("t.log", _TRACEBACK.encode())
    (log,) = READER.read(source)
    assert not log.columns


def test_such_a_run_fell_over(tmp_path: object) -> None:
    path = f"{tmp_path}/train.log"
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(_TRACEBACK)
    (run,) = read([path]).runs
    assert fell_over(run)
    # In a folder it may be the output of anything: it is a run only where nothing else is there.
    assert [fell_over(read_run) for read_run in read([str(tmp_path)]).runs] == [True]


def test_an_error_that_the_run_survived_is_no_end() -> None:
    records = "epoch 2 loss 0.4\nepoch 3 loss 0.3\n"
    assert not log_of("epoch 1 loss 0.5\n" + _TRACEBACK.replace("\n    ", "\n") + records).events
