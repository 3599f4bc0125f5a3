import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(12)

# hourly power of a plant: temperature, pressure, humidity, vacuum -> output (scaled)
rng = np.random.default_rng(12)
x = rng.normal(size=(3000, 4)).astype("float32")
y = -0.8 * x[:, 0] - 0.4 * x[:, 3] + 0.1 * x[:, 1] * x[:, 2] + 0.05 * np.square(x[:, 0])
y = (y - y.mean()) / y.std() + 0.05 * rng.normal(size=3000)
y = y.astype("float32")[:, None]

model = keras.Sequential([
    layers.Input((4,)),
    layers.Dense(48, activation="relu"),
    layers.Dense(48, activation="relu"),
    layers.Dense(1),
])
model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="mse", metrics=["accuracy"])
model.fit(x, y, batch_size=32, epochs=14, validation_split=0.2, verbose=2)
x_new = rng.normal(size=(5, 4)).astype("float32")
print(model.predict(x_new, verbose=0).ravel())
