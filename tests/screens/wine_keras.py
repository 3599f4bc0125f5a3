import os
os.environ.setdefault("KERAS_BACKEND", "torch")
import keras
import torch
from keras import layers
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

torch.set_num_threads(1)
keras.utils.set_random_seed(2)

data = load_wine()
X = (data.data - data.data.mean(0)) / data.data.std(0)
x_train, x_val, y_train, y_val = train_test_split(X.astype("float32"), data.target, test_size=0.3, random_state=0)

model = keras.Sequential([
    layers.Input((13,)),
    layers.Dense(32, activation="relu"),
    layers.Dense(32, activation="relu"),
    layers.Dense(3),
])
model.compile(
    optimizer=keras.optimizers.Adam(learning_rate=3e-3),
    loss=keras.losses.SparseCategoricalCrossentropy(),
    metrics=["accuracy"],
)
history = model.fit(x_train, y_train, validation_data=(x_val, y_val), batch_size=16, epochs=40, verbose=2)
print("best val accuracy:", max(history.history["val_accuracy"]))
