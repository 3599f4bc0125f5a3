"""NHITS of neuralforecast on generated monthly series, as in its quick start."""

import argparse
import logging
import warnings

import numpy as np
import pandas as pd
from neuralforecast import NeuralForecast
from neuralforecast.models import NHITS

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--learning-rate", type=float, default=1e-3)
parser.add_argument("--batch-size", type=int, default=8)
parser.add_argument("--scaler", default="standard")
args = parser.parse_args()

warnings.filterwarnings("ignore")
logging.getLogger("pytorch_lightning").setLevel(logging.ERROR)
random = np.random.default_rng(0)
months = np.arange(144)
frames = []
for series in range(12):
    base, amplitude = random.uniform(100, 600), random.uniform(0.1, 0.4)
    values = base * (1 + 0.005 * months) * (1 + amplitude * np.sin(2 * np.pi * (months + series) / 12))
    values = values * (1 + 0.03 * random.normal(size=144))
    frames.append(
        pd.DataFrame({"unique_id": f"S{series}", "ds": pd.date_range("2010-01-31", periods=144, freq="ME"), "y": values})
    )
data = pd.concat(frames, ignore_index=True)
train = data.groupby("unique_id").head(132)
test = data.groupby("unique_id").tail(12)

model = NHITS(
    h=12,
    input_size=24,
    max_steps=args.steps,
    learning_rate=args.learning_rate,
    batch_size=args.batch_size,
    windows_batch_size=64,
    scaler_type=args.scaler,
    mlp_units=[[32, 32]] * 3,
    val_check_steps=max(1, args.steps // 5),
    num_lr_decays=-1,
    random_seed=1,
    accelerator="cpu",
    logger=False,
    enable_progress_bar=False,
    enable_model_summary=False,
    enable_checkpointing=False,
)
forecaster = NeuralForecast(models=[model], freq="ME")
forecaster.fit(df=train, val_size=12)
forecast = forecaster.predict()
merged = test.merge(forecast, on=["unique_id", "ds"])
print(f"mape {((merged.y - merged.NHITS).abs() / merged.y).mean():.4f}")
