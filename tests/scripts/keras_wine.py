import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
from keras import layers
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

keras.utils.set_random_seed(11)

data = load_wine()
x, y = data.data.astype("float32"), data.target
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.25, random_state=11, stratify=y)

model = keras.Sequential([
    keras.Input(shape=(13,)),
    layers.Dense(32, activation="relu"),
    layers.Dense(16, activation="relu"),
    layers.Dense(3, activation="softmax"),
])
model.compile(
    optimizer=keras.optimizers.Adam(1e-3),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
hist = model.fit(x_train, y_train, epochs=100, batch_size=16, validation_data=(x_test, y_test), verbose=2)
print("best val accuracy:", max(hist.history["val_accuracy"]))
print("last val accuracy:", np.round(hist.history["val_accuracy"][-1], 3))
