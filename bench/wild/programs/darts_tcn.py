"""Darts' TCN model on a bundled-size series of passengers, scaled as its guides say."""

import argparse
import logging
import warnings

import numpy as np
import pandas as pd
from darts import TimeSeries
from darts.dataprocessing.transformers import Scaler
from darts.metrics import mape
from darts.models import TCNModel

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--dropout", type=float, default=0.1)
parser.add_argument("--weight-decay", type=float, default=0.0)
parser.add_argument("--batch-size", type=int, default=32)
args = parser.parse_args()

warnings.filterwarnings("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
random = np.random.default_rng(0)
months = np.arange(240)
passengers = (20000 + 60 * months) * (1 + 0.25 * np.sin(2 * np.pi * months / 12)) * (1 + 0.02 * random.normal(size=240))
frame = pd.DataFrame({"month": pd.date_range("2000-01-31", periods=240, freq="ME"), "passengers": passengers})
series = TimeSeries.from_dataframe(frame, "month", "passengers").astype(np.float32)
train, val = series[:-48], series[-60:]
scaler = Scaler()
train_scaled = scaler.fit_transform(train)
val_scaled = scaler.transform(val)

samples = len(train) - 24 - 12 + 1
model = TCNModel(
    input_chunk_length=24,
    output_chunk_length=12,
    n_epochs=max(1, round(args.steps / -(-samples // args.batch_size))),
    batch_size=args.batch_size,
    dropout=args.dropout,
    num_filters=8,
    kernel_size=3,
    random_state=0,
    optimizer_kwargs={"lr": args.lr, "weight_decay": args.weight_decay},
    pl_trainer_kwargs={
        "accelerator": "cpu",
        "enable_progress_bar": False,
        "enable_model_summary": False,
        "logger": False,
        "enable_checkpointing": False,
    },
)
model.fit(train_scaled, val_series=val_scaled, verbose=False)
prediction = model.predict(24, series=val_scaled[:-24], verbose=False)
print(f"mape {mape(val[-24:], scaler.inverse_transform(prediction)):.2f} %")
