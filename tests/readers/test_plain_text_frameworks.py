# ruff: noqa: E501  the lines of logs are as long as they are
"""What frameworks print, each with the exact series it holds."""

from math import inf, nan

import pytest

from tests.readers.text_series import all_of, log_of, results_of

Expected = dict[str, list[tuple[float, float]]]

CASES: dict[str, tuple[str, Expected]] = {
    "hugging face": (
        """
        {'loss': 0.2, 'grad_norm': nan, 'learning_rate': 1e-05, 'epoch': 0.01}
        {'loss': 0.0, 'grad_norm': inf, 'learning_rate': 9e-06, 'epoch': 0.02}
        {'eval_loss': 0.4, 'eval_accuracy': 0.9, 'eval_runtime': 1.2, 'epoch': 0.02}
        {'train_runtime': 9.1, 'train_samples_per_second': 5.1, 'train_loss': 0.1, 'epoch': 0.02}
        """,
        {
            "loss epoch": [(0.01, 0.2), (0.02, 0.0)],
            "eval_loss epoch": [(0.02, 0.4)],
            "eval_accuracy epoch": [(0.02, 0.9)],
        },
    ),
    "hugging face 5, with bars": (
        "\r  8%|# | 2/24 [00:00<00:08, 2.6it/s]\r                 \r"
        "{'loss': '0.6927', 'grad_norm': '0.5671', 'learning_rate': '4.792e-05', 'epoch': '0.25'}\n"
        "\r 17%|#7| 4/24 [00:01<00:09, 2.1it/s]"
        "{'loss': '0.6932', 'grad_norm': '0.392', 'learning_rate': '4.375e-05', 'epoch': '0.5'}\n",
        {"loss epoch": [(0.25, 0.6927), (0.5, 0.6932)]},
    ),
    "llm.c": (
        "s:0 tel:10.968871\ns:0 trl:10.965596\ns:1 trl:10.814037\n",
        {"tel step": [(0, 10.968871)], "trl step": [(0, 10.965596), (1, 10.814037)]},
    ),
    "modded-nanogpt": (
        """
        step:0/3040 val_loss:10.8258 train_time:0ms step_avg:nanms
        step:1/3040 train_time:76ms step_avg:76.60ms
        step:125/3040 val_loss:4.51317 train_time:76.628s step_avg:613.02ms
        """,
        {"val_loss step": [(0, 10.8258), (125, 4.51317)]},
    ),
    "megatron": (
        """
         iteration       10/    1000 | consumed samples:           40 | elapsed time per iteration (ms): 2152.2 | learning rate: 0.000E+00 | loss scale: 8388608.0 | number of skipped iterations:  10 | number of nan iterations:   0 |
         iteration       20/    1000 | consumed samples:           80 | elapsed time per iteration (ms): 1354.9 | learning rate: 3.750E-05 | lm loss: 1.203115E+01 | loss scale: 32768.0 | number of skipped iterations:   8 | number of nan iterations:   0 |
         iteration       30/    1000 | consumed samples:          120 | elapsed time per iteration (ms): 1376.1 | learning rate:
         1.500E-04 | lm loss: 2.247505E+01 | loss scale: 16384.0 | number of skipped iteratio
        ns:   1 | number of nan iterations:   0 |
        -----------------------------------------------------------------------------------------------
         validation loss at iteration 30 | lm loss value: 8.017406E+00 | lm loss PPL: 3.033300E+03 |
        """,
        {
            "lm loss step": [(20, 12.03115), (30, 22.47505)],
            "lm loss value step val": [(30, 8.017406)],
            "lm loss PPL step val": [(30, 3033.3)],
        },
    ),
    "megatron without colons": (
        """
         iteration       10/    1000 | elapsed time per iteration (ms) 2152.2 | learning rate 1.0E-05 | lm loss 1.2E+01 | loss scale 8388608.0 |
         iteration       20/    1000 | elapsed time per iteration (ms) 1354.9 | learning rate 2.0E-05 | lm loss 1.1E+01 | loss scale 8388608.0 |
        """,
        {"lm loss step": [(10, 12.0), (20, 11.0)]},
    ),
    "torchtitan": (
        "[rank0]:[titan] 2026-05-22 19:02:33,486 - root - INFO - \x1b[31mstep:  1  \x1b[32mloss:  8.1  "
        "\x1b[33mgrad_norm: 3.2  \x1b[36mmemory: 1.5GiB(3%)  \x1b[34mtps: 11,020  \x1b[35mmfu: N/A\x1b[39m\n"
        "[rank0]:[titan] 2026-05-22 19:02:35,486 - root - INFO - \x1b[31mstep: 10  \x1b[32mloss: 12.5  "
        "\x1b[33mgrad_norm: 3.2  \x1b[36mmemory: 1.5GiB(3%)  \x1b[34mtps: 11,120  \x1b[35mmfu: N/A\x1b[39m\n"
        "[rank0]:[titan] 2026-05-22 19:02:36,486 - root - INFO - \x1b[36mvalidate step: 10  "
        "\x1b[32mloss:  7.9  \x1b[36mmemory:  1.5GiB(3%)  \x1b[34mtps: 9,020\x1b[39m\n",
        {"loss step": [(1, 8.1), (10, 12.5)], "loss step val": [(10, 7.9)]},
    ),
    "fairseq": (
        """
        2023-06-28 18:51:14 | INFO | train_inner | epoch 001:    100 / 553 loss=9.1, nll_loss=8.9, ppl=480, num_updates=100, lr=1.25e-05, gnorm=2.1, clip=0, loss_scale=64
        2023-06-28 18:51:34 | INFO | train_inner | epoch 001:    201 / 553 loss=8.1, nll_loss=7.9, ppl=240, num_updates=200, lr=2.5e-05, gnorm=2.0, clip=0, loss_scale=32
        2023-06-28 18:52:14 | INFO | valid | epoch 001 | valid on 'valid' subset | loss 7.1 | ppl 90.5 | num_updates 552
        2023-06-28 18:52:15 | INFO | train | epoch 001 | loss 8.4 | nll_loss 8.1 | ppl 275 | num_updates 552 | lr 6.9e-05
        """,
        {
            "loss step train": [(100, 9.1), (200, 8.1)],
            "nll_loss step train": [(100, 8.9), (200, 7.9)],
            "ppl step train": [(100, 480), (200, 240)],
            "loss step val": [(552, 7.1)],
            "ppl step val": [(552, 90.5)],
            "loss epoch train": [(1, 8.4)],
            "nll_loss epoch train": [(1, 8.1)],
            "ppl epoch train": [(1, 275)],
        },
    ),
    "fairseq, json": (
        """
        2023-06-28 18:51:14 | INFO | train_inner | {"epoch": 1, "update": 0.181, "loss": "9.1", "num_updates": "100", "lr": "1.25e-05"}
        2023-06-28 18:51:34 | INFO | train_inner | {"epoch": 1, "update": 0.363, "loss": "8.1", "num_updates": "200", "lr": "2.5e-05"}
        2023-06-28 18:52:14 | INFO | valid | {"epoch": 1, "valid_loss": "7.1", "valid_num_updates": "552"}
        """,
        {"loss step train": [(100, 9.1), (200, 8.1)], "valid_loss step val": [(552, 7.1)]},
    ),
    "torchvision": (
        """
        Epoch: [0]  [   0/2669]  eta: 1:02:01  lr: 0.0001  loss: 45.5 (45.5)  time: 1.39  data: 0.50  max mem: 3511
        Epoch: [0]  [  10/2669]  eta: 0:22:01  lr: 0.0001  loss: 37.5 (nan)  time: 0.49  data: 0.05  max mem: 4511
        Epoch: [0] Total time: 0:21:59 (0.4944 s / it)
        Averaged stats: lr: 0.0001  loss: 20.5 (28.1)
        Test:  [  0/200]  eta: 0:01:13  loss: 18.0 (18.0)  time: 0.3  data: 0.2  max mem: 4511
        Test:  [199/200]  eta: 0:00:00  loss: 17.0 (17.5)  time: 0.3  data: 0.0  max mem: 4511
         Average Precision  (AP) @[ IoU=0.50:0.95 | area=   all | maxDets=100 ] = 0.011
         Average Precision  (AP) @[ IoU=0.50      | area=   all | maxDets=100 ] = 0.042
        Epoch: [1]  [   0/2669]  eta: 1:02:01  lr: 0.0001  loss: 25.5 (25.5)  time: 1.39  data: 0.50  max mem: 4511
        """,
        {
            "loss step": [(0, 45.5), (10, 37.5), (2669, 25.5)],
            "loss epoch": [(0, 20.5)],
            "loss epoch test": [(0, 17.5)],
            "coco/AP epoch": [(0, 0.011)],
            "coco/AP50 epoch": [(0, 0.042)],
        },
    ),
    "imagenet example": (
        """
        Epoch: [0][   0/5005]\tTime  9.211 ( 9.211)\tData  7.720 ( 7.720)\tLoss 6.9074e+00 (6.9074e+00)\tAcc@1   0.00 (  0.00)
        Epoch: [0][  10/5005]\tTime  0.154 ( 1.010)\tData  0.001 ( 0.702)\tLoss 7.0080e+00 (6.9980e+00)\tAcc@1   0.50 (  0.10)
        Test: [  0/196]\tTime  7.1 ( 7.1)\tLoss 2.0e+00 (2.0e+00)\tAcc@1  50.00 ( 50.00)
        Test: [190/196]\tTime  0.1 ( 0.3)\tLoss 2.5e+00 (2.2e+00)\tAcc@1  48.00 ( 49.00)
         *   Acc@1 49.100
        Epoch: [1][   0/5005]\tTime  9.211 ( 9.211)\tData  7.720 ( 7.720)\tLoss 2.9074e+00 (2.9074e+00)\tAcc@1  40.00 ( 40.00)
        """,
        {
            "Loss step": [(0, 6.9074), (10, 7.008), (5005, 2.9074)],
            "Acc@1 step": [(0, 0.0), (10, 0.5), (5005, 40.0)],
            "Loss step test": [(10, 2.2)],
            "Acc@1 step test": [(10, 49.1)],
        },
    ),
    "timm": (
        """
        Train: 0 [   0/5004 (  0%)]  Loss: 6.950 (6.95)  Time: 5.339s,   47.95/s  (5.339s,   47.95/s)  LR: 1.000e-06
        Train: 0 [  50/5004 (  1%)]  Loss: 6.947 (6.95)  Time: 0.399s,  640.95/s  (0.500s,  511.95/s)  LR: 1.000e-06
        Test: [   0/195]  Time: 3.1 (3.1)  Loss:   6.9 ( 6.9)  Acc@1:  0.3 ( 0.3)
        Test: [ 195/195]  Time: 0.1 (0.2)  Loss:   6.8 ( 6.88)  Acc@1:  0.2 ( 0.25)
        Train: 1 [   0/5004 (  0%)]  Loss: 6.850 (6.85)  Time: 5.339s,   47.95/s  (5.339s,   47.95/s)  LR: 2.000e-04
        """,
        {
            "Loss step train": [(0, 6.95), (50, 6.947), (5004, 6.85)],
            "Loss step test": [(50, 6.88)],
            "Acc@1 step test": [(50, 0.25)],
        },
    ),
    "mmengine": (
        """
        2023/01/01 00:00:00 - mmengine - INFO - Epoch(train)  [1][  50/1000]  lr: 1.0e-02  eta: 1:00:00  time: 0.3  loss: 0.7
        2023/01/01 00:02:00 - mmengine - INFO - Epoch(train)  [2][  50/1000]  lr: 1.0e-02  eta: 3 days, 1:00:00  time: 0.3  loss: 0.5
        2023/01/01 00:03:00 - mmengine - INFO - Epoch(val) [2][100/100]    accuracy/top1: 75.0  data_time: 0.1  time: 0.2
        """,
        {"loss step train": [(50, 0.7), (1050, 0.5)], "accuracy/top1 epoch val": [(2, 75.0)]},
    ),
    "flair": (
        """
        2020-06-23 12:11:11,945 epoch 1 - iter 0/4 - loss 1.20414293 - samples/sec: 129.35
        2020-06-23 12:11:12,535 epoch 1 - iter 3/4 - loss 0.85789797 - samples/sec: 520.09
        2020-06-23 12:11:12,547 EPOCH 1 done: loss 0.8579 - lr 0.1000
        2020-06-23 12:11:31,969 DEV : loss 0.6743201017379761 - score 0.7667
        2020-06-23 12:11:33,268 epoch 2 - iter 0/4 - loss 0.66289943 - samples/sec: 545.88
        2020-06-23 12:11:33,399 EPOCH 2 done: loss 0.5965 - lr 0.1000
        2020-06-23 12:11:35,585 DEV : loss 0.9560748934745789 - score 0.7667
        """,
        {
            "loss step": [(0, 1.20414293), (3, 0.85789797), (4, 0.66289943)],
            "loss epoch": [(1, 0.8579), (2, 0.5965)],
            "loss epoch val": [(1, 0.674320102), (2, 0.956074893)],
            "score epoch val": [(1, 0.7667), (2, 0.7667)],
        },
    ),
    "nnU-Net": (
        """
        2023-09-01 02:27:40.1: \nepoch:  11
        2023-09-01 02:27:41.1: train loss : -0.7712
        2023-09-01 02:27:42.1: validation loss: -0.7820
        2023-09-01 02:27:43.1: Average global foreground Dice: [0.92, 0.86]
        2023-09-01 02:27:44.1: \nepoch:  12
        2023-09-01 02:27:45.1: train loss : -0.7812
        2023-09-01 02:27:46.1: validation loss: -0.7920
        2023-09-01 02:27:47.1: Average global foreground Dice: [0.93, nan]
        """,
        {
            "train loss epoch": [(11, -0.7712), (12, -0.7812)],
            "validation loss epoch": [(11, -0.782), (12, -0.792)],
            "Average global foreground Dice 0 epoch": [(11, 0.92), (12, 0.93)],
            "Average global foreground Dice 1 epoch": [(11, 0.86), (12, nan)],
        },
    ),
    "OLMo": (
        """
        2025-12-27 22:12:56.867\tfin-03:0\tolmo.train:990\tINFO\t[step=10/10000,epoch=0]
            optim/total_grad_norm=1.608
            train/CrossEntropyLoss=9.064
            train/Perplexity=8,641
        2025-12-27 22:13:46.563\tfin-03:0\tolmo.train:990\tINFO\t[step=20/10000,epoch=0]
            optim/total_grad_norm=0.9643
            train/CrossEntropyLoss=8.247
            train/Perplexity=3,815
        """,
        {
            "train/CrossEntropyLoss step": [(10, 9.064), (20, 8.247)],
            "train/Perplexity step": [(10, 8641), (20, 3815)],
        },
    ),
    "SwAV": (
        """
        INFO - 09/04/20 07:55:48 - 0:00:00 - batch_size: 4096
                                             lr: 0.3
        INFO - 09/04/20 07:55:53 - 0:00:05 - ============ Starting epoch 0 ... ============
        INFO - 09/04/20 07:56:15 - 0:00:27 - Epoch[0] - Iter: [0/13]\tTime 4.1 (4.1)\tLoss 9.67 (9.67)\tPrec 49.5 (49.5)\tLR 0.15
        INFO - 09/04/20 07:56:20 - 0:00:32 - Test:\tTime 1.9\tLoss 6.67\tAcc@1 55.0\tBest Acc@1 so far 55.0
        INFO - 09/04/20 07:56:21 - 0:00:33 - Epoch[1] - Iter: [0/13]\tTime 4.1 (4.1)\tLoss 8.67 (8.67)\tPrec 50.5 (50.5)\tLR 0.14
        INFO - 09/04/20 07:56:25 - 0:00:37 - Test:\tTime 1.9\tLoss 5.67\tAcc@1 54.0\tBest Acc@1 so far 55.0
        """,
        {
            "Loss step": [(0, 9.67), (13, 8.67)],
            "Prec step": [(0, 49.5), (13, 50.5)],
            "Loss step test": [(0, 6.67), (13, 5.67)],
            "Acc@1 step test": [(0, 55.0), (13, 54.0)],
        },
    ),
    "nanochat": (
        """
        Step 00000 | Validation bpb: 3.3084
        step 00001 (0.00%) | loss: 5.471677 | lrm: 1.00 | dt: 1142.98ms | tok/sec: 111 | mfu: 0.00 | epoch: 1 | total time: 0.00m
        step 00002 (0.00%) | loss: nan | lrm: 1.00 | dt: 5.71ms | tok/sec: 22,429 | mfu: 0.00 | epoch: 1 | total time: 0.00m
        """,
        {"Validation bpb step": [(0, 3.3084)], "loss step": [(1, 5.471677), (2, nan)]},
    ),
    "TensorFlow estimator": (
        """
        INFO:tensorflow:loss = 2.31, step = 1
        INFO:tensorflow:global_step/sec: 120.5
        INFO:tensorflow:loss = 0.69, step = 101 (0.830 sec)
        INFO:tensorflow:Saving dict for global step 101: accuracy = 0.9, global_step = 101, loss = 0.3
        """,
        {
            "loss step": [(1, 2.31), (101, 0.69)],
            "accuracy step val": [(101, 0.9)],
            "loss step val": [(101, 0.3)],
        },
    ),
    "scikit-learn": (
        "Iteration 1, loss = 0.70908609\nValidation score: 0.500000\nIteration 2, loss = 0.70246220\nValidation score: 0.510000\n",
        {
            "loss step": [(1, 0.70908609), (2, 0.7024622)],
            "Validation score step": [(1, 0.5), (2, 0.51)],
        },
    ),
    "AllenNLP": (
        """
        2022-09-19 20:28:43,879 - INFO - allennlp.training.trainer - Epoch 0/1
        2022-09-19 20:36:19,622 - INFO - allennlp.training.tensorboard_writer -                   Training |  Validation
        2022-09-19 20:36:19,623 - INFO - allennlp.training.tensorboard_writer - loss          |     0.510  |     0.543
        2022-09-19 20:36:19,625 - INFO - allennlp.training.tensorboard_writer - cpu_memory_MB |  1580.612  |       N/A
        2022-09-19 20:43:38,404 - INFO - allennlp.training.trainer - Epoch 1/1
        2022-09-19 20:43:38,351 - INFO - allennlp.training.tensorboard_writer - loss          |     0.409  |     0.518
        """,
        {"loss epoch train": [(0, 0.51), (1, 0.409)], "loss epoch val": [(0, 0.543), (1, 0.518)]},
    ),
    "Stable-Baselines": (
        """
        ---------------------------------
        | rollout/           |          |
        |    ep_rew_mean     | 22.3     |
        | time/              |          |
        |    total_timesteps | 2048     |
        ---------------------------------
        ---------------------------------
        | rollout/           |          |
        |    ep_rew_mean     | 27.1     |
        | time/              |          |
        |    total_timesteps | 4096     |
        | train/             |          |
        |    loss            | 5.99     |
        ---------------------------------
        """,
        {"rollout/ep_rew_mean sample": [(2048, 22.3), (4096, 27.1)], "train/loss sample": [(4096, 5.99)]},
    ),
    "Caffe": (
        """
        I0315 12:00:00.123456  1234 solver.cpp:228] Iteration 0, loss = 2.30
        I0315 12:00:00.123456  1234 sgd_solver.cpp:106] Iteration 0, lr = 0.01
        I0315 12:00:01.123456  1234 solver.cpp:228] Iteration 100, loss = 1.30
        I0315 12:00:01.123456  1234 sgd_solver.cpp:106] Iteration 100, lr = 0.01
        """,
        {"loss step": [(0, 2.3), (100, 1.3)]},
    ),
    "XGBoost": (
        "[0]\ttrain-rmse:0.50000\teval-rmse:0.60000\n[10]\ttrain-rmse:0.40000\teval-rmse:0.55000\n",
        {"train-rmse step": [(0, 0.5), (10, 0.4)], "eval-rmse step": [(0, 0.6), (10, 0.55)]},
    ),
    "LightGBM": (
        "[100]\ttraining's l2: 0.31\tvalid_1's l2: 0.41\n[200]\ttraining's l2: 0.21\tvalid_1's l2: 0.39\n"
        "Early stopping, best iteration is:\n[180]\ttraining's l2: 0.22\tvalid_1's l2: 0.38\n",
        {"training's l2 step": [(100, 0.31), (200, 0.21)], "valid_1's l2 step": [(100, 0.41), (200, 0.39)]},
    ),
    "ESPnet": (
        """
        [host] 2023-01-01 10:00:00,000 (trainer:732) INFO: 1epoch:train:1-100batch: iter_time=0.1, loss=50.2, acc=0.101
        [host] 2023-01-01 10:01:00,000 (trainer:732) INFO: 1epoch:train:101-200batch: iter_time=0.1, loss=45.2, acc=0.151
        [host] 2023-01-01 10:05:00,000 (trainer:338) INFO: 1epoch results: [train] iter_time=0.1, loss=47.0, [valid] loss=40.0
        """,
        {
            "loss step train": [(100, 50.2), (200, 45.2)],
            "acc step train": [(100, 0.101), (200, 0.151)],
            "loss epoch train": [(1, 47.0)],
            "loss epoch val": [(1, 40.0)],
        },
    ),
    "PyTorch Ignite": (
        """
        Epoch[1] Iteration[100/938] Loss: 0.31
        Training Results - Epoch: 1  Avg accuracy: 0.90 Avg loss: 0.30
        Validation Results - Epoch: 1  Avg accuracy: 0.95 Avg loss: 0.20
        Epoch[2] Iteration[100/938] Loss: 0.11
        """,
        {
            "Loss step": [(100, 0.31), (1038, 0.11)],
            "Avg accuracy epoch train": [(1, 0.9)],
            "Avg loss epoch train": [(1, 0.3)],
            "Avg accuracy epoch val": [(1, 0.95)],
            "Avg loss epoch val": [(1, 0.2)],
        },
    ),
    "Composer": (
        "[epoch=0][batch=1/100]:\n\t Train time/epoch: 0\n\t Train loss/train/total: 2.3000\n"
        "[epoch=0][batch=2/100]:\n\t Train time/epoch: 0\n\t Train loss/train/total: 2.1000\n",
        {"loss/train/total step train": [(1, 2.3), (2, 2.1)]},
    ),
    "Composer, with batches alone and an evaluation": (
        "[batch=1/9]:\n\t Train loss/train/total: 2.3000\n[batch=2/9]:\n\t Train loss/train/total: 2.1000\n"
        "[eval batch=10/10]:\n\t Eval metrics/eval/CrossEntropy: 1.9000\n",
        {
            "loss/train/total step train": [(1, 2.3), (2, 2.1)],
            "metrics/eval/CrossEntropy step val": [(2, 1.9)],
        },
    ),
    "MXNet": (
        """
        INFO:root:Epoch[0] Batch [100]\tSpeed: 1000.00 samples/sec\taccuracy=0.500000
        INFO:root:Epoch[0] Batch [200]\tSpeed: 1001.00 samples/sec\taccuracy=0.600000
        INFO:root:Epoch[0] Train-accuracy=0.650000
        INFO:root:Epoch[0] Validation-accuracy=0.660000
        INFO:root:Epoch[1] Batch [100]\tSpeed: 1000.00 samples/sec\taccuracy=0.700000
        """,
        {
            "accuracy step": [(100, 0.5), (200, 0.6), (300, 0.7)],
            "Train-accuracy epoch": [(0, 0.65)],
            "Validation-accuracy epoch": [(0, 0.66)],
        },
    ),
    "ssd.pytorch, with warnings printed into its lines": (
        """
        iter 0 || Loss: 19.4798 || /a/b.py:238: VisibleDeprecationWarning: Creating an ndarray from ragged nested sequences (which is a list-or-tuple of lists) is deprecated. If you meant to do this, you must specify 'dtype=object'
          mode = random.choice(self.sample_options)
        iter 10 || Loss: 10.4773 || /a/b.py:238: VisibleDeprecationWarning: Creating an ndarray from ragged nested sequences (which is a list-or-tuple of lists) is deprecated. If you meant to do this, you must specify 'dtype=object'
          mode = random.choice(self.sample_options)
        """,
        {"Loss step": [(0, 19.4798), (10, 10.4773)]},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_a_framework_prints(name: str) -> None:
    text, expected = CASES[name]
    curves = results_of(text)
    assert {key: repr(points) for key, points in curves.items()} == {
        key: repr([(float(step), float(value)) for step, value in points]) for key, points in expected.items()
    }


def test_the_numbers_beside_the_results_are_kept() -> None:
    curves = all_of(CASES["hugging face"][0])
    assert repr(curves["grad_norm epoch"]) == repr([(0.01, nan), (0.02, inf)])
    assert curves["learning_rate epoch"] == [(0.01, 1e-05), (0.02, 9e-06)]
    curves = all_of(CASES["megatron"][0])
    assert curves["number of skipped iterations step"] == [(10, 10), (20, 8), (30, 1)]
    assert curves["consumed samples step"] == [(10, 40), (20, 80), (30, 120)]
    curves = all_of(CASES["torchtitan"][0])
    assert curves["tps step"] == [(1, 11020), (10, 11120)]
    assert "mfu step" not in curves


def test_what_the_trainer_writes_at_its_end_is_no_point() -> None:
    log = log_of(CASES["hugging face"][0])
    assert [(u.name, u.count) for u in log.unread] == [("train_loss", 1)]
    assert log.smoothing == "mean since the last record"


def test_smoothing_of_known_producers() -> None:
    assert log_of(CASES["torchvision"][0]).smoothing == "median of 20 steps"
    assert log_of(CASES["megatron"][0]).smoothing == "mean since the last record"
    assert log_of(CASES["nanochat"][0]).smoothing == ""
