"""A linear autoencoder as PCA: spectra in absorbance units, 4 chemical components."""
import os
os.environ["KERAS_BACKEND"] = "torch"
import numpy as np
import keras
from keras import layers

keras.utils.set_random_seed(14)
rng = np.random.default_rng(14)
grid = np.linspace(0, 1, 80)
components = np.stack([np.exp(-((grid - c) / w) ** 2) for c, w in [(0.2, 0.08), (0.45, 0.15), (0.6, 0.05), (0.85, 0.1)]])
conc = rng.uniform(0, 0.3, (4000, 4))
spectra = (conc @ components + 0.004 * rng.normal(size=(4000, 80))).astype("float32")
spectra -= spectra[:3200].mean(0)
train, test = spectra[:3200], spectra[3200:]

inp = keras.Input((80,))
h = layers.Dense(16, name="enc1")(inp)
code = layers.Dense(4, name="code")(h)
h = layers.Dense(16, name="dec1")(code)
out = layers.Dense(80, name="dec2")(h)
model = keras.Model(inp, out)
model.compile(optimizer=keras.optimizers.Adam(3e-3), loss="mse")
hist = model.fit(train, train, batch_size=64, epochs=14, verbose=0,
                 callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=lambda e, l: print(f"epoch {e + 1:2d}  mse {l['loss']:.3e}"))])

_, _, vt = np.linalg.svd(train, full_matrices=False)
best = ((test - test @ vt[:4].T @ vt[:4]) ** 2).mean()
rec = model.predict(test, verbose=0)
print(f"test mse {((rec - test) ** 2).mean():.3e}   exact PCA with 4 components {best:.3e}")
