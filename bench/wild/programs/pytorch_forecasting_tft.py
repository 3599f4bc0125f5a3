"""A temporal fusion transformer on generated daily sales, after pytorch-forecasting's demand tutorial."""

import argparse
import logging
import warnings

import lightning.pytorch as pl
import numpy as np
import pandas as pd
from pytorch_forecasting import TemporalFusionTransformer, TimeSeriesDataSet
from pytorch_forecasting.data import GroupNormalizer
from pytorch_forecasting.metrics import QuantileLoss

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--learning-rate", type=float, default=0.02)
parser.add_argument("--gradient-clip-val", type=float, default=0.1)
parser.add_argument("--dropout", type=float, default=0.1)
parser.add_argument("--batch-size", type=int, default=32)
args = parser.parse_args()

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
pl.seed_everything(42, verbose=False)
random = np.random.default_rng(0)
days = np.arange(120)
frames = []
for shop in range(8):
    level, strength = random.uniform(20, 200), random.uniform(0.2, 0.5)
    season = 1 + strength * np.sin(2 * np.pi * days / 7 + shop)
    sales = level * season * (1 + 0.05 * random.normal(size=120))
    frames.append(pd.DataFrame({"time_idx": days, "shop": str(shop), "weekday": (days % 7).astype(str), "sales": sales}))
data = pd.concat(frames, ignore_index=True)

training = TimeSeriesDataSet(
    data[data.time_idx < 106],
    time_idx="time_idx",
    target="sales",
    group_ids=["shop"],
    max_encoder_length=14,
    max_prediction_length=7,
    static_categoricals=["shop"],
    time_varying_known_categoricals=["weekday"],
    time_varying_known_reals=["time_idx"],
    time_varying_unknown_reals=["sales"],
    target_normalizer=GroupNormalizer(groups=["shop"]),
)
validation = TimeSeriesDataSet.from_dataset(training, data, min_prediction_idx=106, stop_randomization=True)
train_loader = training.to_dataloader(train=True, batch_size=args.batch_size, num_workers=0)
val_loader = validation.to_dataloader(train=False, batch_size=64, num_workers=0)
model = TemporalFusionTransformer.from_dataset(
    training,
    learning_rate=args.learning_rate,
    hidden_size=8,
    attention_head_size=1,
    dropout=args.dropout,
    hidden_continuous_size=4,
    loss=QuantileLoss(),
    log_interval=0,
    optimizer="adam",
)
trainer = pl.Trainer(
    max_steps=args.steps,
    accelerator="cpu",
    gradient_clip_val=args.gradient_clip_val,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(model, train_loader, val_loader)
print(f"val_loss {trainer.validate(model, val_loader, verbose=False)[0]['val_loss']:.4f}")
