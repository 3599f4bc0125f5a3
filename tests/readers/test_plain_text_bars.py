# ruff: noqa: E501  the lines of logs are as long as they are
"""Progress bars: every redraw stands in the log, but not every redraw is a record."""

from math import nan

from tests.readers.text_series import all_of, results_of


def test_a_bar_that_names_the_step() -> None:
    text = (
        "Training:   1%|          | 28/5000 [00:22<54:11,  1.53it/s, loss=10.8620, lr=5.79e-05, step=29]\r"
        "Training:   1%|          | 29/5000 [00:22<54:09,  1.53it/s, loss=10.8620, lr=5.79e-05, step=29]\r"
        "Training:   1%|1         | 29/5000 [00:23<54:09,  1.53it/s, loss=10.8498, lr=5.99e-05, step=30]\r"
        "Training:   1%|1         | 30/5000 [00:23<54:09,  1.53it/s, loss=10.8498, lr=5.99e-05, step=30]"
    )
    assert results_of(text) == {"loss step train": [(29, 10.862), (30, 10.8498)]}
    assert all_of(text)["it/s step train"] == [(29, 1.53), (30, 1.53)]


def test_a_bar_that_only_counts() -> None:
    text = (
        "Steps:   0%|   | 0/1000 [00:00<?, ?it/s]\rSteps:   0%|  | 1/1000 [00:03<50:10,  3.01s/it, step_loss=0.101]\r"
        "Steps:   0%|   | 2/1000 [00:04<40:10,  2.41s/it, step_loss=0.202]\n"
    )
    assert results_of(text) == {"step_loss step": [(1, 0.101), (2, 0.202)]}


def test_bars_that_start_over_without_an_epoch_are_counted_through() -> None:
    redraw = "".join(f"{n}/3 [00:01<00:01, 4it/s, loss=0.{n}]\r" for n in (1, 2, 3))
    bars = "".join(f"{n * 33}%|##| {bar}" for n, bar in enumerate(redraw.split("\r")[:-1], 1))
    text = bars.replace("]", "]\r") * 2
    assert results_of(text) == {"loss step": [(1, 0.1), (2, 0.2), (3, 0.3), (4, 0.1), (5, 0.2), (6, 0.3)]}


def test_lightning_shows_the_validation_loss_until_there_is_a_new_one() -> None:
    text = (
        "Epoch 0:  50%|#####     | 1/2 [00:00<00:03,  2.09it/s, v_num=0, train_loss=0.712]\r"
        "Epoch 0: 100%|##########| 2/2 [00:00<00:01,  4.17it/s, v_num=0, train_loss=0.712]\r"
        "Epoch 0: 100%|##########| 2/2 [00:00<00:01,  4.16it/s, v_num=0, train_loss=1.990]\n"
        "\rValidation DataLoader 0: 100%|##########| 8/8 [00:00<00:00, 540.42it/s]\x1b[A\n"
        "Epoch 0: 100%|##########| 2/2 [00:00<00:01,  4.0it/s, v_num=0, train_loss=1.990, val_loss=0.687]\r"
        "Epoch 0:   0%|          | 0/2 [00:00<?, ?it/s, v_num=0, train_loss=1.990, val_loss=0.687]\r"
        "Epoch 1:   0%|          | 0/2 [00:00<?, ?it/s, v_num=0, train_loss=1.990, val_loss=0.687]\r"
        "Epoch 1:  50%|#####     | 1/2 [00:00<00:00, 490.2it/s, v_num=0, train_loss=0.413, val_loss=0.687]\r"
        "Epoch 1: 100%|##########| 2/2 [00:00<00:00, 233.1it/s, v_num=0, train_loss=0.300, val_loss=0.687]\r"
        "Epoch 1: 100%|##########| 2/2 [00:00<00:00, 233.1it/s, v_num=0, train_loss=0.300, val_loss=0.657]\n"
    )
    assert results_of(text) == {
        "train_loss step": [(1, 0.712), (2, 1.99), (3, 0.413), (4, 0.3)],
        "val_loss step": [(2, 0.687), (4, 0.657)],
    }


KERAS_2 = (
    "Epoch 1/3\n"
    "  1/938 [..............................] - ETA: 3:42 - loss: 2.3519 - accuracy: 0.1250"
    + "\b"
    * 30
    + "\r"
    " 33/938 [>.............................] - ETA: 1s - loss: 1.4519 - accuracy: 0.5250" + "\b" * 30 + "\r"
    "938/938 [==============================] - 2s 2ms/step - loss: 0.4519 - accuracy: 0.8250 - val_loss: 0.3012\n"
    "Epoch 2/3\n"
    "938/938 [==============================] - 2s 2ms/step - loss: nan - accuracy: 0.0980 - val_loss: nan\n"
)


def test_only_the_last_redraw_of_an_epoch_counts_in_keras() -> None:
    curves = results_of(KERAS_2)
    assert repr(curves) == repr(
        {
            "loss epoch": [(1.0, 0.4519), (2.0, nan)],
            "accuracy epoch": [(1.0, 0.825), (2.0, 0.098)],
            "val_loss epoch": [(1.0, 0.3012), (2.0, nan)],
        }
    )


def test_an_evaluation_after_the_training_is_no_epoch() -> None:
    text = "313/313 [==============================] - 0s 1ms/step - loss: 0.3333 - accuracy: 0.9050\n"
    curves = results_of(KERAS_2 + text)
    assert curves["loss epoch test"] == [(2, 0.3333)]
    assert curves["accuracy epoch test"] == [(2, 0.905)]
    assert len(curves["loss epoch"]) == 2


def test_keras_3() -> None:
    bar = (
        "\x1b[1m{0}/16\x1b[0m \x1b[32m"
        + "━" * 5
        + "\x1b[0m\x1b[37m"
        + "━" * 15
        + "\x1b[0m \x1b[1m1s\x1b[0m {1}"
    )
    text = (
        "Epoch 1/2\n\r"
        + bar.format(" 1", "118ms/step - accuracy: 0.5938 - loss: 0.7506")
        + "\b" * 70
        + "\r"
        + bar.format(
            "16", "84ms/step - accuracy: 0.5332 - loss: 0.8971 - val_accuracy: 0.5156 - val_loss: 0.9939"
        )
        + "\nEpoch 2/2\n\r"
        + bar.format(
            "16", "50ms/step - accuracy: 0.5508 - loss: 0.8460 - val_accuracy: 0.5156 - val_loss: 0.9360"
        )
        + "\n"
    )
    assert results_of(text) == {
        "accuracy epoch": [(1, 0.5332), (2, 0.5508)],
        "loss epoch": [(1, 0.8971), (2, 0.846)],
        "val_accuracy epoch": [(1, 0.5156), (2, 0.5156)],
        "val_loss epoch": [(1, 0.9939), (2, 0.936)],
    }


def test_keras_without_bars() -> None:
    text = (
        "Epoch 1/3\n938/938 - 2s - loss: 0.4519 - accuracy: 0.8250 - val_loss: 0.3012 - 2s/epoch - 2ms/step\n"
        "Epoch 2/3\n\nEpoch 00002: val_loss improved from 0.30120 to 0.28120, saving model to m.h5\n"
        "938/938 - 2s - loss: 0.3519 - accuracy: 0.8750 - val_loss: 0.2812 - 2s/epoch - 2ms/step\n"
    )
    assert results_of(text) == {
        "loss epoch": [(1, 0.4519), (2, 0.3519)],
        "accuracy epoch": [(1, 0.825), (2, 0.875)],
        "val_loss epoch": [(1, 0.3012), (2, 0.2812)],
    }
