"""Keras regression with a normalization layer, after the "Basic regression" tutorial."""

import argparse
import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
from keras import layers

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=5e-3)
parser.add_argument("--batch-size", type=int, default=32)
args = parser.parse_args()

keras.utils.set_random_seed(2)
random = np.random.default_rng(0)
hour = random.integers(0, 24, 3000)
temperature = random.normal(15, 8, 3000)
humidity = random.uniform(20, 100, 3000)
weekend = random.integers(0, 2, 3000)
rentals = 3 + np.sin((hour - 7) / 24 * 6.283) + 0.08 * temperature - 0.02 * humidity + 0.5 * weekend
rentals = rentals + random.normal(0, 0.2, 3000)
features = np.stack([hour, temperature, humidity, weekend], axis=1).astype("float32")
targets = rentals.astype("float32")[:, None]

normalizer = layers.Normalization()
normalizer.adapt(features[:2400])
model = keras.Sequential(
    [
        normalizer,
        layers.Dense(64, activation="relu"),
        layers.Dense(64, activation="relu"),
        layers.Dense(1),
    ]
)
model.compile(loss="mean_squared_error", optimizer=keras.optimizers.Adam(args.lr))
history = model.fit(
    features[:2400],
    targets[:2400],
    batch_size=args.batch_size,
    epochs=max(1, round(args.steps / 75)),
    validation_data=(features[2400:2700], targets[2400:2700]),
    verbose=0,
)
for epoch, loss in enumerate(history.history["loss"]):
    print(f"epoch {epoch + 1} loss {loss:.4f} val_loss {history.history['val_loss'][epoch]:.4f}")
print(f"test mse {model.evaluate(features[2700:], targets[2700:], verbose=0):.4f}")
