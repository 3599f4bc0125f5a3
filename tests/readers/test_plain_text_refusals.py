# ruff: noqa: E501  the lines of logs are as long as they are
"""Texts full of numbers that are no training: none of them may give a point."""

import textwrap

import pytest

from tests.readers.text_series import all_of, results_of
from traindx.errors import UnreadableError

SOURCE_CODE = '''
import os
import sys
with open(sys.argv[0]) as f:
    code = f.read() # read the code of this file ASAP
import torch
from torch import nn

class Muon(torch.optim.Optimizer):
    """
    Muon: lr: 0.02, momentum 0.95, step 5
    """
    def __init__(self, params, lr=0.02, momentum=0.95, nesterov=True, ns_steps=5):
        defaults = dict(lr=lr, momentum=momentum)

    def step(self):
        for group in self.param_groups:
            loss = 0.0
            epoch = 3

class Hyperparameters:
    num_iterations : int = 5100 # number of iterations to run
    learning_rate : float = 0.0036
args = Hyperparameters()

step = 0
loss = 3.0
for step in range(args.num_iterations + 1):
    if step == 10:
        t0 = time.time()
        print0(f'step:{step}/{args.num_iterations} val_loss:{val_loss:.4f}')
    # momentum warmup
    momentum = (1 - frac) * 0.85 + frac * 0.95
    loss = 0.5
    print(f"peak memory {torch.cuda.max_memory_allocated() // 1024} MiB")
'''

REFUSED: dict[str, str] = {
    "pip and downloads": """
        Collecting torch==2.1.0
          Downloading torch-2.1.0-cp311-cp311-manylinux1_x86_64.whl (670.2 MB)
        Requirement already satisfied: numpy>=1.21 in /usr/lib/python3 (from torch) (1.26.0)
        Step 3/10 : RUN pip install -r requirements.txt
        Successfully installed torch-2.1.0 numpy-1.26.0
        Downloading model.safetensors:  10%|#         | 50.0M/500M [00:01<00:10, 45.1MB/s]
        Map: 100%|##########| 60000/60000 [00:05<00:00, 12000 examples/s]
        Loading checkpoint shards: 100%|##########| 2/2 [00:03<00:00,  1.5s/it]
        """,
    "nvidia-smi": """
        +-----------------------------------------------------------------------------+
        | NVIDIA-SMI 525.60.13    Driver Version: 525.60.13    CUDA Version: 12.0     |
        | Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
        |   0  NVIDIA A100-SXM...  On   | 00000000:07:00.0 Off |                    0 |
        | N/A   30C    P0    52W / 400W |      0MiB / 40960MiB |      0%      Default |
        |   1  NVIDIA A100-SXM...  On   | 00000000:0F:00.0 Off |                    0 |
        | N/A   31C    P0    52W / 400W |      0MiB / 40960MiB |      0%      Default |
        """,
    "a compiler": """
        [1/120] Building CXX object CMakeFiles/foo.dir/a.cpp.o
        [2/120] Building CXX object CMakeFiles/foo.dir/b.cpp.o
        /home/x/foo.cpp:12:34: warning: unused variable 'loss' [-Wunused-variable]
        /home/x/foo.cu(45): error: identifier "step" is undefined
        make[2]: *** [CMakeFiles/foo.dir/build.make:76: a.o] Error 1
        3 warnings and 1 error generated.
        """,
    "a web server": """
        127.0.0.1 - - [10/Oct/2023:13:55:36 +0000] "GET /step/5?loss=3 HTTP/1.1" 200 2326
        127.0.0.1 - - [10/Oct/2023:13:55:37 +0000] "GET /step/6?loss=2 HTTP/1.1" 200 2327
        127.0.0.1 - - [10/Oct/2023:13:55:38 +0000] "GET /step/7?loss=1 HTTP/1.1" 200 2328
        2023-10-10 13:55:36,123 - app - INFO - request_id=55 latency=0.35 status=200 size=1024
        2023-10-10 13:55:36,124 - app - INFO - request_id=56 latency=0.31 status=200 size=1025
        2023-10-10 13:55:36,125 - app - INFO - request_id=57 latency=0.32 status=500 size=1026
        """,
    "prose": """
        We train for 10 epochs with lr = 0.1 and batch size 128. After 3 epochs the loss was 0.5 and the accuracy about 90%.
        In epoch 5 we reduced the learning rate to 0.01. The loss stayed at 0.3 until step 5000, where it spiked to 8.
        Results: top-1 accuracy 76.1, top-5 accuracy 92.9.

        | Model | Params | Top-1 | Top-5 |
        |---|---|---|---|
        | ResNet-18 | 11M | 69.8 | 89.1 |
        | ResNet-50 | 25M | 76.1 | 92.9 |

        1. Step 1: install the package
        2. Step 2: run `python train.py --lr 0.1 --epochs 90`
        """,
    "YAML": """
        seed: 42
        optimizer:
          name: sgd
          lr: 0.1
          momentum: 0.9
        train:
          epochs: 90
          batch_size: 256
          label_smoothing: 0.1
        """,
    "arguments": """
        Namespace(arch='resnet50', batch_size=256, epochs=90, lr=0.1, step=30, epoch=0, loss=0.5, weight_decay=0.0001)
        {'lr': 0.1, 'batch_size': 32, 'epochs': 10, 'accuracy': 0.5}
        python train.py --lr 0.1 --epoch 5 --loss 3
        training.lr=0.1 training.epochs=10
        """,
    "a commit": """
        commit 3f2c1a9b8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a
        Date:   Mon Jan 1 10:00:00 2023 +0000

            Fix loss at step 5; lr 0.1 -> 0.01

         1 file changed, 6 insertions(+), 6 deletions(-)
        """,
    "tests": """
        platform linux -- Python 3.11.7, pytest-8.3.3, pluggy-1.5.0
        tests/test_loss.py ......                                                [  5%]
        tests/test_step.py ....F.                                                [ 10%]
        E       assert 0.5 == 0.6
        =================== 1 failed, 119 passed in 3.21s ====================
        """,
    "steps of a pipeline": """
        2026-04-13 09:07:31,391 - INFO - Step 1: Loading dataset from source URLs...
        2026-04-13 09:07:32,287 - INFO - Step 2: Cleaning and filtering data...
        2026-04-13 09:07:32,294 - INFO - Dataset Size - Train: 149,995, Test: 49,997
        2026-04-13 09:07:44,779 - INFO - Step 3: Initializing model: gpt2
        2026-04-13 09:37:41,546 - INFO - Step 1: Loading dataset from source URLs...
        2026-04-13 09:37:42,848 - INFO - Step 2: Cleaning and filtering data...
        2026-04-13 09:37:42,948 - INFO - Dataset Size - Train: 30,000, Test: 3,000
        """,
    "a program": SOURCE_CODE,
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_holds_no_training(name: str) -> None:
    with pytest.raises(UnreadableError, match="no metrics found"):
        all_of(REFUSED[name])


def test_the_source_before_a_log_gives_no_points() -> None:
    text = textwrap.dedent(SOURCE_CODE) + "=" * 100 + "\nRunning python 3.12.7\n"
    text += "step:0/5100 val_loss:10.8258 train_time:0ms\nstep:125/5100 val_loss:4.5 train_time:9500ms\n"
    assert results_of(text) == {"val_loss step": [(0, 10.8258), (125, 4.5)]}


def test_settings_printed_in_the_middle_are_no_points() -> None:
    text = """
        epoch 1 loss 0.5 lr 0.1
        epoch 2 loss 0.4 lr 0.1
        Resuming with
        seed: 31
        lr: 0.3
        batch_size: 4096
        epoch 3 loss 0.3 lr 0.3
        """
    assert all_of(text) == {
        "loss epoch": [(1, 0.5), (2, 0.4), (3, 0.3)],
        "lr epoch": [(1, 0.1), (2, 0.1), (3, 0.3)],
    }


def test_a_list_of_classes_is_no_series() -> None:
    text = """
        epoch 1 loss 0.5
        class 0 precision: 0.1 recall: 0.2
        class 1 precision: 0.3 recall: 0.4
        class 2 precision: 0.5 recall: 0.6
        epoch 2 loss 0.4
        """
    assert results_of(text) == {"loss epoch": [(1, 0.5), (2, 0.4)]}
