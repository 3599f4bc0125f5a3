"""Keras on the torch backend: a convolutional network for handwritten digits."""

import argparse
import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
from keras import layers
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

parser = argparse.ArgumentParser()
parser.add_argument("--steps", type=int, default=200)
parser.add_argument("--lr", type=float, default=2e-3)
parser.add_argument("--l2", type=float, default=1e-4)
parser.add_argument("--dropout", type=float, default=0.2)
parser.add_argument("--batch-size", type=int, default=64)
args = parser.parse_args()

keras.utils.set_random_seed(5)
digits = load_digits()
images = digits.images[..., None].astype("float32") / 16.0
x_train, x_test, y_train, y_test = train_test_split(images, digits.target, test_size=0.2, random_state=0)

model = keras.Sequential(
    [
        keras.Input((8, 8, 1)),
        layers.Conv2D(16, 3, activation="relu", padding="same"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(64, activation="relu", kernel_regularizer=keras.regularizers.L2(args.l2)),
        layers.Dropout(args.dropout),
        layers.Dense(10, activation="softmax"),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(args.lr),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
steps_per_epoch = -(-len(x_train) * 9 // 10 // args.batch_size)
history = model.fit(
    x_train,
    y_train,
    batch_size=args.batch_size,
    epochs=max(1, round(args.steps / steps_per_epoch)),
    validation_split=0.1,
    verbose=0,
)
for epoch, loss in enumerate(history.history["loss"]):
    print(f"epoch {epoch + 1} loss {loss:.4f} val_loss {history.history['val_loss'][epoch]:.4f}")
print(f"test accuracy {model.evaluate(x_test, y_test, verbose=0)[1]:.4f}")
