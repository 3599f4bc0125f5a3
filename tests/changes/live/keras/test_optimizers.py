"""Gradients and optimizers of Keras, against optimizers that are made so by hand."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.changes.live.keras.trainings import (
    CLASSES,
    RATE,
    ROWS,
    STEPS,
    Sequential,
    applied,
    changed,
    dense,
    keras,
    refused,
    torch,
    train,
)

pytestmark = pytest.mark.filterwarnings("ignore")

SGD, Adam, AdamW = keras.optimizers.SGD, keras.optimizers.Adam, keras.optimizers.AdamW


def test_gradients_are_clipped(tmp_path: Path) -> None:
    with changed(tmp_path, "gradients.clip 0.1"):
        training = train()
    assert training.losses == pytest.approx(train(optimizer=SGD(RATE, global_clipnorm=0.1)).losses)
    assert applied(tmp_path) == ["gradients clipped to norm 0.1"]


@pytest.mark.parametrize("limit", ["clipnorm", "global_clipnorm", "clipvalue"])
def test_a_limit_of_gradients_is_loosened_or_taken_away(limit: str, tmp_path: Path) -> None:
    with changed(tmp_path, "gradients.clip x 10"):
        loose = train(optimizer=SGD(RATE, **{limit: 0.01}))
    assert loose.losses == pytest.approx(train(optimizer=SGD(RATE, **{limit: 0.1})).losses)
    with changed(tmp_path, "gradients.clip none"):
        assert train(optimizer=SGD(RATE, **{limit: 0.01})).losses == pytest.approx(train().losses)


def test_where_nothing_is_clipped_there_is_no_limit_to_loosen(tmp_path: Path) -> None:
    with changed(tmp_path, "gradients.clip none"):
        train(steps=1)
    assert refused(tmp_path) == ["SGD does not clip gradients"]


def test_a_batch_that_is_no_number_is_skipped_whole(tmp_path: Path) -> None:
    broken = ROWS.copy()
    broken[18, 1] = np.nan
    with changed(tmp_path, "gradients.skip_nonfinite"):
        training = train(optimizer=SGD(0.1, 0.9, weight_decay=0.1), rows=broken, batch_size=16)
    kept = np.r_[0:16, 32:48]
    optimizer = SGD(0.1, 0.9, weight_decay=0.1)
    wanted = train(optimizer=optimizer, rows=ROWS[kept], targets=CLASSES[kept], batch_size=16)
    assert training.weights == pytest.approx(wanted.weights, rel=1e-5, abs=1e-6)


def test_several_batches_make_one_step(tmp_path: Path) -> None:
    with changed(tmp_path, "gradients.accumulate 3"):
        training = train(batch_size=16)
    assert training.weights == pytest.approx(
        train(optimizer=SGD(RATE, gradient_accumulation_steps=3), batch_size=16).weights
    )
    assert training.weights == pytest.approx(train().weights, rel=1e-4, abs=1e-6)


def test_settings_of_an_optimizer_are_set(tmp_path: Path) -> None:
    with changed(tmp_path, "optimizer.momentum 0.9", "regularize.weight_decay 0.1"):
        training = train()
    assert training.losses == pytest.approx(train(optimizer=SGD(RATE, 0.9, weight_decay=0.1)).losses)
    with changed(tmp_path, "optimizer.momentum 0.5", "regularize.weight_decay x 0.1"):
        adam = train(optimizer=AdamW(0.1, weight_decay=1.0))
    assert adam.losses == pytest.approx(train(optimizer=AdamW(0.1, 0.1, beta_1=0.5)).losses, rel=1e-5)


def test_a_decay_that_is_a_part_of_the_loss_is_not_multiplied(tmp_path: Path) -> None:
    with changed(tmp_path, "regularize.weight_decay x 0.1"):
        train(lambda: dense(kernel_regularizer="l2"))
        train()
    assert applied(tmp_path) == []
    assert [why.split(";")[0] for why in refused(tmp_path)] == [
        "weight decay is a loss penalty",
        "SGD has no weight decay",
    ]


def test_a_penalty_is_shown_and_its_decay_kept_out_of_the_gradient(tmp_path: Path) -> None:
    def penalized() -> Sequential:
        return dense(kernel_regularizer=keras.regularizers.L2(0.1))

    decayed = Adam(0.1, weight_decay=0.2)
    decayed.exclude_from_weight_decay(var_names=["bias"])
    with changed(tmp_path, "optimizer.decoupled_weight_decay"):
        training = train(penalized, optimizer=Adam(0.1))
    assert training.weights == pytest.approx(train(optimizer=decayed).weights, rel=1e-4, abs=1e-6)
    assert training.losses[0] == pytest.approx(train(penalized, steps=1).losses[0])


def test_another_optimizer_takes_the_steps_and_schedules_go_on(tmp_path: Path) -> None:
    def schedule(rate: float) -> object:
        return keras.optimizers.schedules.ExponentialDecay(rate, 1, 0.5)

    for settings in ((RATE, 0.01), (schedule(RATE), schedule(0.01))):
        with changed(tmp_path, "optimizer.use adamw 0.01"):
            training = train(optimizer=SGD(settings[0], global_clipnorm=0.1))
        wanted = AdamW(settings[1], 0.01, global_clipnorm=0.1)
        assert training.losses == pytest.approx(train(optimizer=wanted).losses, rel=1e-5)
        assert int(training.model.optimizer.iterations) == STEPS
    with changed(tmp_path, "optimizer.use sgd 0.05", "optimizer.lr x 2"):
        mixed = train(optimizer=Adam(0.1))
    assert mixed.losses == pytest.approx(train(optimizer=SGD(0.1, 0.9)).losses)


def by_hand(made: Callable[[], object], *, clears: bool) -> list[float]:
    """A loop of the program's own, without `fit`."""
    keras.utils.set_random_seed(1)
    model, optimizer = dense(), made()
    compute = keras.losses.SparseCategoricalCrossentropy()
    losses = []
    for _ in range(STEPS):
        if clears:
            model.zero_grad()
        loss = compute(torch.as_tensor(CLASSES), model(torch.as_tensor(ROWS), training=True))
        loss.backward()
        with torch.no_grad():
            optimizer.apply([each.value.grad for each in model.trainable_weights], model.trainable_weights)  # type: ignore[attr-defined]
        losses.append(float(loss.detach()))
    return losses


def test_a_loop_of_the_programs_own_is_changed_too(tmp_path: Path) -> None:
    with changed(tmp_path, "optimizer.lr x 0.1"):
        slow = by_hand(lambda: SGD(RATE), clears=True)
    assert slow == pytest.approx(train(optimizer=SGD(0.1 * RATE)).losses)
    with changed(tmp_path, "gradients.clear_each_step"):
        cleared = by_hand(lambda: SGD(RATE), clears=False)
    assert cleared == pytest.approx(train().losses)
    assert by_hand(lambda: SGD(RATE), clears=False) != pytest.approx(train().losses)
    with changed(tmp_path, "gradients.clear_each_step"):
        train(steps=1)
    assert refused(tmp_path) == ["Keras fit already clears gradients"]
