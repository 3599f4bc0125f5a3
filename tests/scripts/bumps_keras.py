import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np

keras.utils.set_random_seed(3)
rng = np.random.default_rng(3)

# y = bumpy function of three inputs
X = rng.uniform(-1, 1, (3000, 3)).astype("float32")
y = (np.sin(4 * X[:, 0]) * np.cos(3 * X[:, 1]) + X[:, 2] ** 2 + 0.3 * X[:, 0]).astype("float32")
y = (y - y.mean()) / y.std()

inputs = keras.Input((3,))
h = keras.layers.Dense(64, kernel_initializer="he_normal")(inputs)
h = keras.layers.Dense(64, kernel_initializer="he_normal")(h)
h = keras.layers.Dense(32, kernel_initializer="he_normal")(h)
outputs = keras.layers.Dense(1)(h)
model = keras.Model(inputs, outputs)
model.compile(optimizer=keras.optimizers.Adam(2e-3), loss="mse", metrics=["mae"])

hist = model.fit(X, y, validation_split=0.2, batch_size=32, epochs=15, verbose=0)
for i, (a, b) in enumerate(zip(hist.history["loss"], hist.history["val_loss"])):
    print(f"epoch {i + 1}: loss {a:.4f} val_loss {b:.4f}")
