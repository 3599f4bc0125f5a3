import os
os.environ["KERAS_BACKEND"] = "torch"
import keras
from keras.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D
from keras.models import Sequential
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

keras.utils.set_random_seed(6)

digits = load_digits()
x = (digits.images / 16.0).reshape(-1, 8, 8, 1).astype("float32")
y = keras.utils.to_categorical(digits.target, 10)
x_tr, x_te, y_tr, y_te = train_test_split(x, y, test_size=0.2, random_state=6)

model = Sequential()
model.add(keras.Input((8, 8, 1)))
model.add(Conv2D(16, 3, activation="relu"))
model.add(Dropout(0.6))
model.add(Conv2D(32, 3, activation="relu"))
model.add(MaxPooling2D(2))
model.add(Dropout(0.8))
model.add(Flatten())
model.add(Dense(64, activation="relu"))
model.add(Dropout(0.9))
model.add(Dense(10, activation="softmax"))

model.compile(loss="categorical_crossentropy", optimizer="adam", metrics=["accuracy"])
model.fit(x_tr, y_tr, batch_size=32, epochs=12, validation_split=0.1, verbose=2)
loss, acc = model.evaluate(x_te, y_te, verbose=0)
print("Test loss:", loss)
print("Test accuracy:", acc)
