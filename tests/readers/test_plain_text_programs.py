# ruff: noqa: E501  the lines of logs are as long as they are
"""What people's own programs print, each with the exact series it holds."""

import pytest

from tests.readers.text_series import results_of

Expected = dict[str, list[tuple[float, float]]]

CASES: dict[str, tuple[str, Expected]] = {
    "epoch of so many": (
        "Epoch 3/10 loss: 0.41 val_loss: 0.5\nEpoch 4/10 loss: 0.40 val_loss: 0.49\n",
        {"loss epoch": [(3, 0.41), (4, 0.4)], "val_loss epoch": [(3, 0.5), (4, 0.49)]},
    ),
    "bars between": (
        "epoch 3 | train loss 0.41 | valid loss 0.5 | lr 1e-3\n",
        {"train loss epoch": [(3, 0.41)], "valid loss epoch": [(3, 0.5)]},
    ),
    "leading zeros": ("Epoch: 0003 cost= 0.41\n", {"cost epoch": [(3, 0.41)]}),
    "in brackets": ("[epoch 3] train_loss=0.41\n", {"train_loss epoch": [(3, 0.41)]}),
    "a split in brackets": (
        "[train] epoch 1 loss 0.3\n[val] epoch 1 loss 0.5\n",
        {"loss epoch train": [(1, 0.3)], "loss epoch val": [(1, 0.5)]},
    ),
    "a capital split in brackets before the position": (
        "[Train][Epoch 1/9][Iter: 5/10] loss: 0.3\n[Train][Epoch 2/9][Iter: 5/10] loss: 0.2\n[Eval][Epoch 2] loss: 0.5\n",
        {"loss step train": [(5, 0.3), (15, 0.2)], "loss epoch val": [(2, 0.5)]},
    ),
    "one measure, named once": (
        "iter 10 | loss train: 0.3, val: 0.5\niter 20 | loss train: 0.2, val: 0.4\n",
        {"loss train step": [(10, 0.3), (20, 0.2)], "loss val step val": [(10, 0.5), (20, 0.4)]},
    ),
    "short words": ("Ep 3 | Loss 0.4\n", {"Loss epoch": [(3, 0.4)]}),
    "a stamp before": ("[2023-01-01 10:00:00] step=100 loss=0.3\n", {"loss step": [(100, 0.3)]}),
    "steps that start over": (
        """
        Epoch [1/3], Step [100/600], Loss: 0.3000
        Epoch [1/3], Step [200/600], Loss: 0.2500
        Epoch [2/3], Step [100/600], Loss: 0.2000
        Test Accuracy of the model on the 10000 test images: 97.3%
        """,
        {"Loss step": [(100, 0.3), (200, 0.25), (700, 0.2)], "Test Accuracy step test": [(700, 97.3)]},
    ),
    "steps that do not start over": (
        "epoch: 1 step: 100 loss: 0.3\nepoch: 1 step: 200 loss: 0.2\nepoch: 2 step: 300 loss: 0.1\n",
        {"loss step": [(100, 0.3), (200, 0.2), (300, 0.1)]},
    ),
    "batches without a total": (
        """
        Epoch 1 Batch 100 loss: 0.9
        Epoch 1 Batch 200 loss: 0.8
        Epoch 1 loss: 0.85
        Epoch 2 Batch 100 loss: 0.7
        Epoch 2 Batch 200 loss: 0.6
        Epoch 2 loss: 0.65
        """,
        {
            "loss step": [(100, 0.9), (200, 0.8), (300, 0.7), (400, 0.6)],
            "loss epoch": [(1, 0.85), (2, 0.65)],
        },
    ),
    "MNIST example": (
        """
        Train Epoch: 1 [0/60000 (0%)]\tLoss: 2.300039
        Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.213470

        Test set: Average loss: 0.0506, Accuracy: 9836/10000 (98%)

        Train Epoch: 2 [0/60000 (0%)]\tLoss: 0.300039
        """,
        {
            "Loss sample train": [(0, 2.300039), (640, 2.21347), (60000, 0.300039)],
            "Average loss sample test": [(640, 0.0506)],
            "Accuracy sample test": [(640, 98.36)],
        },
    ),
    "PyTorch quickstart": (
        """
        Epoch 1
        -------------------------------
        loss: 2.303494  [   64/60000]
        loss: 2.294637  [ 6464/60000]
        Test Error:
         Accuracy: 39.5%, Avg loss: 2.159364

        Epoch 2
        -------------------------------
        loss: 2.170380  [   64/60000]
        Test Error:
         Accuracy: 56.0%, Avg loss: 1.896143
        Done!
        """,
        {
            "loss sample": [(64, 2.303494), (6464, 2.294637), (60064, 2.17038)],
            "Accuracy sample test": [(6464, 39.5), (60064, 56.0)],
            "Avg loss sample test": [(6464, 2.159364), (60064, 1.896143)],
        },
    ),
    "CIFAR tutorial": (
        """
        [1,  2000] loss: 2.173
        [1,  4000] loss: 1.858
        [2,  2000] loss: 1.475
        [2,  4000] loss: 1.382
        Finished Training
        Accuracy of the network on the 10000 test images: 55%
        """,
        {
            "loss step": [(2000, 2.173), (4000, 1.858), (6000, 1.475), (8000, 1.382)],
            "Accuracy step test": [(8000, 55)],
        },
    ),
    "transfer-learning tutorial": (
        """
        Epoch 0/1
        ----------
        train Loss: 0.61 Acc: 0.68
        val Loss: 0.31 Acc: 0.88

        Epoch 1/1
        ----------
        train Loss: 0.51 Acc: 0.78
        val Loss: 0.21 Acc: 0.93

        Training complete in 1m 5s
        Best val Acc: 0.930000
        """,
        {
            "train Loss epoch": [(0, 0.61), (1, 0.51)],
            "Acc epoch train": [(0, 0.68), (1, 0.78)],
            "val Loss epoch": [(0, 0.31), (1, 0.21)],
            "Acc epoch val": [(0, 0.88), (1, 0.93)],
        },
    ),
    "DCGAN example": (
        """
        [0/25][0/1583]\tLoss_D: 1.7459\tLoss_G: 5.3218\tD(x): 0.5000\tD(G(z)): 0.4000 / 0.0200
        [1/25][50/1583]\tLoss_D: 0.7459\tLoss_G: 4.3218\tD(x): 0.6000\tD(G(z)): 0.3000 / 0.0300
        """,
        {"Loss_D step": [(0, 1.7459), (1633, 0.7459)], "Loss_G step": [(0, 5.3218), (1633, 4.3218)]},
    ),
    "language-model example": (
        """
        | epoch   1 |   200/  663 batches | lr 30.00 | ms/batch 100.55 | loss  7.65 | ppl  2096.44
        | epoch   1 |   400/  663 batches | lr 30.00 | ms/batch  99.55 | loss  6.65 | ppl   772.44
        | end of epoch   1 | time: 66.28s | valid loss  6.01 | valid ppl   407.44
        | epoch   2 |   200/  663 batches | lr 30.00 | ms/batch 100.55 | loss  6.15 | ppl   468.44
        """,
        {
            "loss step": [(200, 7.65), (400, 6.65), (863, 6.15)],
            "ppl step": [(200, 2096.44), (400, 772.44), (863, 468.44)],
            "valid loss epoch": [(1, 6.01)],
            "valid ppl epoch": [(1, 407.44)],
        },
    ),
    "the name before the position": (
        "Cost after iteration 0: 0.693147\nCost after iteration 100: 0.584508\ntrain accuracy: 99.04%\n",
        {"Cost step": [(0, 0.693147), (100, 0.584508)], "train accuracy step": [(100, 99.04)]},
    ),
    "Keras guide": (
        "Training loss (for one batch) at step 0: 131.37\nTraining loss (for one batch) at step 200: 1.05\n",
        {"Training loss (for one batch) step train": [(0, 131.37), (200, 1.05)]},
    ),
    "two splits in one line": (
        "Epoch 1: Train - Loss: 0.4, Acc: 0.8 | Val - Loss: 0.5, Acc: 0.7\n",
        {
            "Loss epoch train": [(1, 0.4)],
            "Acc epoch train": [(1, 0.8)],
            "Loss epoch val": [(1, 0.5)],
            "Acc epoch val": [(1, 0.7)],
        },
    ),
    "one name twice": (
        "epoch 1 train_loss 0.3 acc 0.8 val_loss 0.4 acc 0.7\n",
        {
            "train_loss epoch": [(1, 0.3)],
            "acc epoch train": [(1, 0.8)],
            "val_loss epoch": [(1, 0.4)],
            "acc epoch val": [(1, 0.7)],
        },
    ),
    "headings for sections": (
        """
        =========== Epoch 1 / 3 ===========
        Training:
          Step 10: loss = 0.91
          Step 20: loss = 0.81
        Validation:
          loss = 0.7, accuracy = 0.6
        =========== Epoch 2 / 3 ===========
        Training:
          Step 10: loss = 0.71
        Validation:
          loss = 0.5, accuracy = 0.7
        """,
        {
            "loss step": [(10, 0.91), (20, 0.81), (30, 0.71)],
            "loss step val": [(20, 0.7), (30, 0.5)],
            "accuracy step val": [(20, 0.6), (30, 0.7)],
        },
    ),
    "results of a heading's split": (
        """
        Epoch 1, train loss: 0.423
        Epoch 1, dev results:
        Precision: 0.800, Recall: 0.810
        Epoch 2, train loss: 0.363
        Epoch 2, dev results:
        Precision: 0.833, Recall: 0.834
        """,
        {
            "train loss epoch": [(1, 0.423), (2, 0.363)],
            "Precision epoch val": [(1, 0.8), (2, 0.833)],
            "Recall epoch val": [(1, 0.81), (2, 0.834)],
        },
    ),
    "positions after the values": (
        """
        Train Loss: 0.61 | Val Loss: 0.51
        Epoch 1 completed in 3.2s
        Train Loss: 0.51 | Val Loss: 0.41
        Epoch 2 completed in 3.2s
        """,
        {"Train Loss epoch": [(1, 0.61), (2, 0.51)], "Val Loss epoch": [(1, 0.51), (2, 0.41)]},
    ),
    "no positions at all": (
        "Train Loss: 0.61\nVal Loss: 0.51\nTrain Loss: 0.51\nVal Loss: 0.41\nTrain Loss: 0.41\nVal Loss: 0.45\n",
        {
            "Train Loss record": [(0, 0.61), (1, 0.51), (2, 0.41)],
            "Val Loss record": [(0, 0.51), (1, 0.41), (2, 0.45)],
        },
    ),
    "early stopping says nothing new": (
        """
        Validation Loss Decreased(inf--->0.900000) \t Saving The Model
        Epoch 1 \t\t Training Loss: 0.8 \t\t Validation Loss: 0.9
        Validation Loss Decreased(0.900000--->0.700000) \t Saving The Model
        Epoch 2 \t\t Training Loss: 0.6 \t\t Validation Loss: 0.7
        """,
        {"Training Loss epoch": [(1, 0.8), (2, 0.6)], "Validation Loss epoch": [(1, 0.9), (2, 0.7)]},
    ),
    "episodes": (
        "Episode: 1, Total Reward: 20.0, Epsilon: 0.99, Steps: 20\nEpisode: 2, Total Reward: 15.0, Epsilon: 0.98, Steps: 9\n",
        {"Total Reward step": [(1, 20.0), (2, 15.0)]},
    ),
    "tensors": (
        "Epoch 1 loss tensor(2.3026, device='cuda:0', grad_fn=<NllLossBackward0>)\n"
        "Epoch 2 loss tensor(2.1026, device='cuda:0', grad_fn=<NllLossBackward0>)\n",
        {"loss epoch": [(1, 2.3026), (2, 2.1026)]},
    ),
    "logfmt": (
        'ts=2023-01-01T00:00:00Z level=info msg="train step" step=1 loss=0.5\n'
        'ts=2023-01-01T00:00:02Z level=info msg="eval done" step=1 loss=0.6\n',
        {"loss step train": [(1, 0.5)], "loss step val": [(1, 0.6)]},
    ),
    "json among text": (
        """
        Loading data...
        {"step": 1, "train": {"loss": 2.5, "acc": 0.1}, "lr": 0.001}
        some text here
        {"step": 2, "val": {"loss": 2.6, "acc": 0.15}}
        {"loss": 2.4, "step": 3, "split": "val"}
        """,
        {
            "loss step train": [(1, 2.5)],
            "acc step train": [(1, 0.1)],
            "loss step val": [(2, 2.6), (3, 2.4)],
            "acc step val": [(2, 0.15)],
        },
    ),
    "a table of fastai": (
        "epoch     train_loss  valid_loss  accuracy  time    \n"
        "0         0.412331    0.391223    0.881200  00:12     \n"
        "1         0.312331    0.291223    0.901200  00:11     \n",
        {
            "train_loss epoch": [(0, 0.412331), (1, 0.312331)],
            "valid_loss epoch": [(0, 0.391223), (1, 0.291223)],
            "accuracy epoch": [(0, 0.8812), (1, 0.9012)],
        },
    ),
    "a table with a rule": (
        "  epoch    train_loss    valid_acc     dur\n-------  ------------  -----------  ------\n"
        "      1        \x1b[36m0.6905\x1b[0m       \x1b[32m0.6150\x1b[0m  0.1012\n"
        "      2        0.6648       0.6450  0.0212\n",
        {"train_loss epoch": [(1, 0.6905), (2, 0.6648)], "valid_acc epoch": [(1, 0.615), (2, 0.645)]},
    ),
    "the tables of YOLO": (
        "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n"
        "        1/3      2.54G      1.261      3.201         15        640: 100%|##########| 8/8 [00:03<00:00,  2.5it/s]\n"
        "                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|###| 4/4 [00:01<00:00,  2.9it/s]\n"
        "                   all        128        929       0.61       0.55        0.6        0.4\n"
        "      Epoch    GPU_mem   box_loss   cls_loss  Instances       Size\n"
        "        2/3      2.54G      1.161      2.201         15        640: 100%|##########| 8/8 [00:03<00:00,  2.5it/s]\n",
        {
            "box_loss epoch": [(1, 1.261), (2, 1.161)],
            "cls_loss epoch": [(1, 3.201), (2, 2.201)],
            "precision epoch val": [(1, 0.61)],
            "recall epoch val": [(1, 0.55)],
            "mAP50 epoch val": [(1, 0.6)],
            "mAP50-95 epoch val": [(1, 0.4)],
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_program_prints(name: str) -> None:
    text, expected = CASES[name]
    assert results_of(text) == expected
