import os

os.environ["KERAS_BACKEND"] = "torch"
os.environ["CUDA_VISIBLE_DEVICES"] = ""

import keras
import numpy as np
import torch
from reproducible import fingerprint

torch.set_num_threads(1)
keras.utils.set_random_seed(9)

x = np.random.normal(size=(480, 8)).astype("float32")
y = (x[:, :4].sum(axis=1) > x[:, 4:].sum(axis=1)).astype("int32")


class Printer(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        print(f"epoch {epoch} epoch_loss {logs['loss']!r} val_loss {logs['val_loss']!r}")


model = keras.Sequential(
    [
        keras.layers.Input((8,)),
        keras.layers.Dense(16, activation="relu"),
        keras.layers.Dropout(0.1),
        keras.layers.Dense(2, activation="softmax"),
    ]
)
model.compile(
    optimizer=keras.optimizers.Adam(5e-3), loss="sparse_categorical_crossentropy", metrics=["accuracy"]
)
model.fit(
    x[:400],
    y[:400],
    validation_data=(x[400:], y[400:]),
    epochs=3,
    batch_size=20,
    verbose=0,
    callbacks=[Printer()],
)
print(fingerprint([np.asarray(w) for w in model.get_weights()]))
