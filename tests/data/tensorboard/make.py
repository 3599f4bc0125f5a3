"""Makes torch.tfevents with torch 2.13 and tensorboard 2.21: python make.py SOME_EMPTY_FOLDER."""

import sys
from pathlib import Path

import numpy as np
from torch.utils.tensorboard import SummaryWriter
from torch.utils.tensorboard.summary import hparams

folder = Path(sys.argv[1])
writer = SummaryWriter(folder)
for step in range(12):
    writer.add_scalar("train/loss", 1 / (step + 1), step)
    writer.add_scalar("train/accuracy", step / 12, step, new_style=True)
writer.add_scalar("val/loss", float("nan"), 11)
writer.add_scalar("before", 2.5, -3)
writer.add_histogram("fc/weight", np.arange(8.0), 11)
writer.add_text("note", "a remark", 11)
writer.add_text("args", '{"learning_rate": 5e-05, "model": {"depth": 3}}', 0)
for summary in hparams({"lr": 0.1, "optimizer": "adam"}, {"score": 1.0}):
    writer.file_writer.add_summary(summary)
writer.close()
(written,) = folder.glob("*tfevents*")
written.rename(Path(__file__).parent / "torch.tfevents")
