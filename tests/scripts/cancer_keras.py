import os
os.environ["KERAS_BACKEND"] = "torch"

import keras
import numpy as np
from keras.layers import Dense, Dropout, Input
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

keras.utils.set_random_seed(0)

data = load_breast_cancer()
X_train, X_test, y_train, y_test = train_test_split(data.data, data.target, test_size=0.2, random_state=0)
sc = StandardScaler()
X_train = sc.fit_transform(X_train).astype(np.float32)
X_test = sc.transform(X_test).astype(np.float32)

classifier = keras.Sequential()
classifier.add(Input(shape=(30,)))
classifier.add(Dense(32, activation='relu'))
classifier.add(Dropout(0.1))
classifier.add(Dense(16, activation='relu'))
classifier.add(Dense(1, activation='softmax'))
classifier.compile(optimizer='adam', loss='binary_crossentropy', metrics=['accuracy'])

history = classifier.fit(X_train, y_train, batch_size=16, epochs=25, validation_data=(X_test, y_test), verbose=2)
score = classifier.evaluate(X_test, y_test, verbose=0)
print('Test loss: %.4f  Test accuracy: %.4f' % tuple(score))
