"""Layers and inputs of Keras models, against models that are written so."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.changes.live.keras.trainings import (
    CLASSES,
    ROWS,
    Model,
    Sequential,
    applied,
    changed,
    dense,
    keras,
    layers,
    refused,
    torch,
    train,
)

pytestmark = pytest.mark.filterwarnings("ignore")


def told(activation: str) -> Model:
    """Activations as arguments, in a graph with two ends."""
    inputs = layers.Input((4,))
    hidden = layers.Dense(8, activation)(inputs)
    hidden = layers.BatchNormalization()(hidden)
    ends = [layers.Dense(3, "softmax")(hidden), layers.Dense(3, "relu")(hidden)]
    return Model(inputs, layers.Average()(ends))


def apart(activation: str) -> Model:
    """Activations as layers, one model in another."""
    inside = Sequential([layers.Input((4,)), layers.Dense(8), layers.Activation(activation)])
    return Sequential([layers.Input((4,)), inside, layers.Dense(3), layers.Activation("relu")])


class Written(Model):
    """A model that is only known by its code."""

    def __init__(self, activation: object = "relu") -> None:
        super().__init__()
        self.first, self.second = layers.Dense(8, activation), layers.Dense(3, "relu")
        self.drop = layers.Dropout(0.5)

    def call(self, rows: object, training: bool | None = None) -> object:
        return self.second(self.drop(self.first(rows), training=training))


LOGITS = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


@pytest.mark.parametrize("made", [told, apart, Written])
def test_hidden_activations_are_exchanged_and_the_last_stays(
    made: Callable[[str], object], tmp_path: Path
) -> None:
    with changed(tmp_path, "activation.replace relu gelu"):
        training = train(lambda: made("relu"), loss=LOGITS)
    assert training.losses == pytest.approx(train(lambda: made("gelu"), loss=LOGITS).losses)
    assert applied(tmp_path) == ["relu replaced by gelu in 1 layer"]
    with changed(tmp_path, "activation.replace saturating relu"):
        train(lambda: made("relu"), loss=LOGITS, steps=1)
    assert refused(tmp_path) == ["no hidden layer has a saturating activation"]


def test_an_activation_that_is_a_layer_of_its_own_is_exchanged(tmp_path: Path) -> None:
    def made() -> Sequential:
        return Sequential([layers.Input((4,)), layers.Dense(8), layers.ReLU(), layers.Dense(3)])

    with changed(tmp_path, "activation.replace relu gelu"):
        training = train(made, loss=LOGITS)
    assert training.losses == pytest.approx(train(lambda: dense("gelu", None), loss=LOGITS).losses)


def test_an_activation_is_put_between_layers(tmp_path: Path) -> None:
    with changed(tmp_path, "activation.insert relu"):
        training = train(lambda: dense(activation=None))
        assert train().losses == pytest.approx(training.losses)
    assert refused(tmp_path) == ["no stacked layers without an activation"]


def test_an_output_loses_its_activation_unless_the_loss_needs_it(tmp_path: Path) -> None:
    with changed(tmp_path, "output.remove_activation"):
        training = train(lambda: dense(last="relu"), loss=LOGITS)
        train(steps=1)
    assert training.losses == pytest.approx(train(lambda: dense(last=None), loss=LOGITS).losses)
    assert applied(tmp_path) == ["relu removed from the output"]
    assert "probabilities" in refused(tmp_path)[0]


@pytest.mark.parametrize("kind", ["he", "xavier", "orthogonal"])
def test_weights_are_drawn_anew_and_the_randomness_of_the_program_goes_on(kind: str, tmp_path: Path) -> None:
    def tiny() -> Sequential:
        return dense(kernel_initializer=keras.initializers.Constant(1e-3))

    plain = train(tiny)
    expected = (torch.rand(1), np.random.random())
    with changed(tmp_path, f"init.reset {kind}"):
        training = train(tiny)
    assert (torch.rand(1), np.random.random()) == expected
    assert training.losses[-1] < plain.losses[-1]
    assert applied(tmp_path) == [f"weights of 2 layers reinitialized ({kind})"]


def test_dropout_is_set_or_added(tmp_path: Path) -> None:
    def dropping() -> Sequential:
        drop = layers.Dropout(0.9, seed=1)
        return Sequential([layers.Input((4,)), layers.Dense(8, "relu"), drop, layers.Dense(3, "softmax")])

    with changed(tmp_path, "regularize.dropout 0"):
        training = train(dropping)
    assert training.losses == pytest.approx(train().losses)
    with changed(tmp_path, "regularize.dropout 0.5"):
        added = train(validation_data=(ROWS, CLASSES), steps=1)
    # What is dropped while it learns is there when it is asked.
    weights = added.model.get_weights()
    plain = dense()
    plain.set_weights(weights)
    plain.compile(loss="sparse_categorical_crossentropy")
    assert added.losses != pytest.approx(train(steps=1).losses)
    assert added.history["val_loss"][0] == pytest.approx(plain.evaluate(ROWS, CLASSES, verbose=0))
    assert applied(tmp_path) == ["dropout 0.9 becomes 0", "dropout 0.5 after 1 activation"]


def test_frozen_layers_learn(tmp_path: Path) -> None:
    def frozen() -> Sequential:
        model = dense()
        model.layers[0].trainable = False
        return model

    with changed(tmp_path, "model.unfreeze"):
        training = train(frozen)
    assert training.losses == pytest.approx(train().losses)
    assert applied(tmp_path) == ["2 frozen parameters unfrozen"]


def test_a_model_is_told_that_it_trains(tmp_path: Path) -> None:
    rows = torch.as_tensor(ROWS)
    with changed(tmp_path, "model.restore_mode"):
        model = Written()
        model(rows)
        assert not torch.equal(model(rows), model(rows))
        with torch.no_grad():
            assert torch.equal(model(rows, training=True), model(rows, training=True))
    assert torch.equal(model(rows), model(rows))


def test_inputs_are_standardized_at_the_entrance_only(tmp_path: Path) -> None:
    far = 1000 + 50 * ROWS
    by_hand = (far - far.mean(0)) / far.std(0)
    for made in (dense, Written):
        loss = LOGITS if made is Written else "sparse_categorical_crossentropy"
        with changed(tmp_path, "inputs.standardize"):
            training = train(made, loss=loss, rows=far)
        assert training.losses == pytest.approx(train(made, loss=loss, rows=by_hand).losses, rel=1e-3)


def test_pictures_are_standardized_by_their_channels(tmp_path: Path) -> None:
    pictures = np.random.default_rng(1).integers(0, 255, (48, 5, 5, 2)).astype("uint8")
    by_hand = (pictures - pictures.mean((0, 1, 2))) / pictures.std((0, 1, 2))

    def seeing() -> Sequential:
        return Sequential(
            [layers.Input((5, 5, 2)), layers.Conv2D(4, 3), layers.Flatten(), layers.Dense(3, "softmax")]
        )

    with changed(tmp_path, "inputs.standardize", "optimizer.lr x 0.1"):
        training = train(seeing, rows=pictures)
    slow = keras.optimizers.SGD(0.05)
    wanted = train(seeing, slow, rows=by_hand.astype("float32"))
    assert training.losses == pytest.approx(wanted.losses, rel=1e-3)


def test_of_several_inputs_each_is_standardized_that_holds_rows(tmp_path: Path) -> None:
    def mixed() -> Model:
        inputs = {"rows": layers.Input((4,), name="rows"), "words": layers.Input((5,), name="words")}
        read = layers.GlobalAveragePooling1D()(layers.Embedding(9, 4)(inputs["words"]))
        return Model(inputs, layers.Dense(3, "softmax")(layers.Concatenate()([inputs["rows"], read])))

    def fitted(rows: object) -> list[float]:
        keras.utils.set_random_seed(1)
        model = mixed()
        model.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy")
        history = model.fit({"rows": rows, "words": words}, CLASSES, 48, 3, verbose=0)
        return [float(value) for value in history.history["loss"]]

    words = np.random.default_rng(1).integers(0, 9, (48, 5)).astype("float32")
    far = 1000 + 50 * ROWS
    with changed(tmp_path, "inputs.standardize"):
        weights = fitted(far)
    assert weights == pytest.approx(fitted((far - far.mean(0)) / far.std(0)), rel=1e-3)


def test_numbers_of_words_are_no_rows(tmp_path: Path) -> None:
    def reading() -> Sequential:
        return Sequential([layers.Embedding(9, 4), layers.LSTM(4), layers.Dense(3, "softmax")])

    words = np.random.default_rng(1).integers(0, 9, (48, 5))
    for text in ("inputs.standardize", "inputs.clip 5"):
        with changed(tmp_path, text):
            train(reading, rows=words, steps=1)
    assert refused(tmp_path) == 2 * ["the model inputs are not rows of floats"]


def test_outliers_are_cut_and_holes_filled(tmp_path: Path) -> None:
    wild, holed, filled = ROWS.copy(), ROWS.copy(), ROWS.copy()
    wild[0, 0], holed[0, 0], filled[0, 0] = 1e9, np.nan, 0.0
    with changed(tmp_path, "inputs.clip 5"):
        assert max(train(rows=wild).losses) < 5
    with changed(tmp_path, "inputs.replace_nonfinite"):
        training = train(rows=holed)
    assert training.losses == pytest.approx(train(rows=filled).losses)
