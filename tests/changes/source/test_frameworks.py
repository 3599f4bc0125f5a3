"""Edits where a framework takes the steps: what Keras, Lightning and Hugging Face are told."""

import pytest

from tests.changes.source.sources import HF, LIT, LIT_PLACES, Bench
from traindx.facts import PLANNED_STEPS, STEPS_PER_EPOCH
from traindx.run import Fact, Scalar

KERAS = """\
    import keras
    from keras import layers

    model = keras.Sequential([
        keras.Input((8,)),
        layers.Dense(32, kernel_initializer="zeros"),  # wide
        layers.Dropout(0.3),
        layers.Dense(16, "linear"),
        layers.Dense(8),
        layers.ReLU(),
        layers.Dense(1, activation="softmax"),
    ])
    model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="mse")
    model.fit(x, y, epochs=40, batch_size=16)
"""
STEPS: dict[Fact, Scalar] = {PLANNED_STEPS: 1000, STEPS_PER_EPOCH: 25}

CHANGED = {
    ("activation.insert relu", KERAS): (
        '-layers.Dense(32, kernel_initializer="zeros"),  # wide\n'
        '+layers.Dense(32, kernel_initializer="zeros", activation="relu"),  # wide\n'
        '-layers.Dense(16, "linear"),\n+layers.Dense(16, "relu"),'
    ),
    ("init.reset he", KERAS): (
        '-layers.Dense(32, kernel_initializer="zeros"),  # wide\n'
        '+layers.Dense(32, kernel_initializer="he_normal"),  # wide\n'
        '-layers.Dense(16, "linear"),\n-layers.Dense(8),\n'
        '+layers.Dense(16, "linear", kernel_initializer="he_normal"),\n'
        '+layers.Dense(8, kernel_initializer="he_normal"),'
    ),
    ("output.sigmoid", KERAS): (
        '-layers.Dense(1, activation="softmax"),\n+layers.Dense(1, activation="sigmoid"),'
    ),
    ("schedule.reduce_on_plateau 10", KERAS): (
        "-model.fit(x, y, epochs=40, batch_size=16)\n"
        "+model.fit(x, y, epochs=40, batch_size=16, callbacks=["
        'keras.callbacks.ReduceLROnPlateau(monitor="loss", factor=0.1, patience=3)])'
    ),
    ("stop.at 76", KERAS): (
        "-model.fit(x, y, epochs=40, batch_size=16)\n+model.fit(x, y, epochs=3, batch_size=16)"
    ),
    ("gradients.accumulate 4", KERAS): (
        '-model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="mse")\n'
        '+model.compile(optimizer=keras.optimizers.Adam(1e-3, gradient_accumulation_steps=4), loss="mse")'
    ),
    ("optimizer.lr x 0.1", KERAS.replace("keras.optimizers.Adam(1e-3)", '"sgd"')): (
        '-model.compile(optimizer="sgd", loss="mse")\n'
        '+model.compile(optimizer=keras.optimizers.SGD(learning_rate=0.001), loss="mse")'
    ),
    ("gradients.clip 1.0", KERAS.replace("keras.optimizers.Adam(1e-3)", '"adam"')): (
        '-model.compile(optimizer="adam", loss="mse")\n'
        '+model.compile(optimizer=keras.optimizers.Adam(global_clipnorm=1.0), loss="mse")'
    ),
    ("regularize.weight_decay 0.01", KERAS.replace("keras.optimizers.Adam(1e-3)", '"adam"')): (
        '-model.compile(optimizer="adam", loss="mse")\n'
        '+model.compile(optimizer=keras.optimizers.Adam(weight_decay=0.01), loss="mse")'
    ),
    ("stop.at 61", HF): "+max_steps=60,",
    ("gradients.accumulate 4", HF): "+gradient_accumulation_steps=4,",
    ("stop.at 61", LIT): (
        '-trainer = L.Trainer(max_epochs=3, accelerator="cpu")\n'
        '+trainer = L.Trainer(max_epochs=3, accelerator="cpu", max_steps=60)'
    ),
    ("gradients.accumulate 4", LIT): (
        '-trainer = L.Trainer(max_epochs=3, accelerator="cpu")\n'
        '+trainer = L.Trainer(max_epochs=3, accelerator="cpu", accumulate_grad_batches=4)'
    ),
    ("init.reset xavier", LIT): (
        "+layers = [module for module in self.modules() if isinstance(module, nn.Linear)]\n"
        "+for layer in layers:\n+nn.init.xavier_uniform_(layer.weight)\n"
        "+if layer.bias is not None:\n+nn.init.zeros_(layer.bias)"
    ),
    ("precision.use bfloat16", LIT.replace('"cpu"', '"cpu", precision="16-mixed"')): (
        '-trainer = L.Trainer(max_epochs=3, accelerator="cpu", precision="16-mixed")\n'
        '+trainer = L.Trainer(max_epochs=3, accelerator="cpu", precision="bf16-mixed")'
    ),
    ("precision.use bfloat16", HF.replace("max_grad_norm=0.01", "fp16=True")): ("-fp16=True,\n+bf16=True,"),
    ("loss.from_scores", KERAS.replace('"mse"', '"sparse_categorical_crossentropy"')): (
        '-model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="sparse_categorical_crossentropy")\n'
        "+model.compile(optimizer=keras.optimizers.Adam(1e-3),"
        " loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True))"
    ),
    ("loss.from_scores", KERAS.replace('"mse"', "keras.losses.BinaryCrossentropy()")): (
        "-model.compile(optimizer=keras.optimizers.Adam(1e-3), loss=keras.losses.BinaryCrossentropy())\n"
        "+model.compile(optimizer=keras.optimizers.Adam(1e-3),"
        " loss=keras.losses.BinaryCrossentropy(from_logits=True))"
    ),
    ("output.remove_activation", KERAS): ('-layers.Dense(1, activation="softmax"),\n+layers.Dense(1),'),
    ("output.remove_activation", KERAS.replace('activation="softmax"', '"sigmoid", name="last"')): (
        '-layers.Dense(1, "sigmoid", name="last"),\n+layers.Dense(1, name="last"),'
    ),
    ("precision.use float32", 'import keras\nkeras.mixed_precision.set_global_policy("mixed_float16")\n'): (
        '-keras.mixed_precision.set_global_policy("mixed_float16")\n'
        '+keras.mixed_precision.set_global_policy("float32")'
    ),
}


@pytest.mark.parametrize(("change", "program"), CHANGED)
def test_a_framework_is_told(bench: Bench, change: str, program: str) -> None:
    facts = {**STEPS, **(LIT_PLACES if "Lightning" in program else {})}
    changed = bench.changed(program, change, facts=facts)
    assert changed == CHANGED[change, program]


def test_what_a_framework_has_no_place_for_is_refused(bench: Bench) -> None:
    assert bench.refusal(HF, "schedule.reduce_on_plateau 10", STEPS) == (
        "the Trainer of train.py needs a metric to monitor"
    )
    assert bench.refusal(KERAS.replace("Dense(1,", "Dense(3,"), "output.sigmoid") == (
        "no softmax over one unit at the last layer in train.py"
    )
    assert bench.refusal(KERAS, "stop.at 60", {}) == "the number of steps per epoch is unknown"
    assert bench.refusal(HF, "precision.use float32") == ("no half-precision setting found in train.py")
