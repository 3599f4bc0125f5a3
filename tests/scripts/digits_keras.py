import os

os.environ["KERAS_BACKEND"] = "torch"

import keras
from keras import layers
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

keras.utils.set_random_seed(42)

digits = load_digits()
x = (digits.data / 16.0).astype("float32")
y = digits.target
x_train, x_test, y_train, y_test = train_test_split(x, y, test_size=0.25, random_state=42, stratify=y)

model = keras.Sequential([
    keras.Input(shape=(64,)),
    layers.Dense(128, activation="relu"),
    layers.Dense(128, activation="relu"),
    layers.Dense(64, activation="relu"),
    layers.Dense(10, activation="softmax"),
])
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=0.05),
    loss="sparse_categorical_crossentropy",
    metrics=["accuracy"],
)
model.summary()

model.fit(x_train, y_train, batch_size=32, epochs=15, validation_data=(x_test, y_test), verbose=2)
print("test:", model.evaluate(x_test, y_test, verbose=0))
