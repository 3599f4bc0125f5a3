"""Makes run.wandb with wandb 0.31.0: python make.py, in a folder of its own, then copy the file it names."""

import os
import sys
from pathlib import Path

os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true", WANDB_X_DISABLE_MACHINE_INFO="true")

import numpy as np
import wandb

config = {"lr": 1e-3, "optimizer": {"name": "adam", "betas": [0.9, 0.99]}, "seed": None, "amp": True}
run = wandb.init(project="fixture", name="a run", id="fixture1", config=config)
wandb.define_metric("val/*", step_metric="epoch")
sys.stdout.write("one line of console output\n")
losses = [1.0, 0.5, float("nan"), float("inf"), -float("inf"), 0.1]
for step, loss in enumerate(losses):
    row = {
        "train/loss": loss,
        "nested": {"a": step, "b": {"c": step / 2}},
        "overflow": step == 3,
        "note": "x",
    }
    if step % 2:
        row |= {"val/acc": step / 10, "epoch": step // 2}
    if step == 4:
        row |= {
            "weights": wandb.Histogram(np_histogram=([1, 2], [0.0, 0.5, 1.0])),
            "image": wandb.Image(np.zeros((2, 2, 3), dtype=np.uint8)),
            "list": [1, 2],
            "nothing": None,
            "größe": 1.5,
        }
    run.log(row)
run.log({"late": 2**60}, step=130)
run.config.update({"late": 7})
run.finish(exit_code=1)
sys.stdout.write(f"{Path(run.dir).parent}/run-fixture1.wandb\n")
