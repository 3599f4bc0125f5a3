import os
os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(3)
rng = np.random.default_rng(3)

# made-up reviews: word ids 1..299; a few words carry the mood, and a "not" (id 1) flips the word after it
GOOD, BAD = np.arange(10, 40), np.arange(40, 70)


def reviews(n, length=20):
    x = rng.integers(70, 300, (n, length))
    y = rng.integers(0, 2, n)
    for i in range(n):
        for pos in rng.choice(np.arange(1, length), 5, replace=False):
            positive = bool(y[i])
            if rng.random() < 0.2:
                x[i, pos - 1] = 1
                positive = not positive
            x[i, pos] = rng.choice(GOOD if positive else BAD)
    return x, y.astype("float32")


x_train, y_train = reviews(2400)
x_val, y_val = reviews(400)

model = keras.Sequential([
    layers.Embedding(300, 16),
    layers.LSTM(24),
    layers.Dropout(0.5),
    layers.Dense(1, activation="sigmoid"),
])
model.compile(optimizer=keras.optimizers.Adam(4e-3, clipnorm=1.0), loss="binary_crossentropy", metrics=["accuracy"])
model.fit(x_train, y_train, batch_size=64, epochs=10, validation_data=(x_val, y_val), shuffle=False, verbose=2)
