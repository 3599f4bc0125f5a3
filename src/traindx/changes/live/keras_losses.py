"""Loss functions of Keras, and twins of them that differ in one setting."""

from copy import copy

import keras
from keras.src.losses.losses import LossFunctionWrapper

SPARSE = "sparse_categorical_crossentropy"
CATEGORICAL = "categorical_crossentropy"
BINARY = "binary_crossentropy"
CROSS_ENTROPIES = (SPARSE, CATEGORICAL, BINARY)


def kind_of(loss: keras.losses.Loss) -> str:
    """The name of the function behind a loss; of its class where it is one of the program's own."""
    if isinstance(loss, LossFunctionWrapper):
        return str(getattr(loss.fn, "__name__", type(loss).__name__))
    return type(loss).__name__


def takes_scores(loss: keras.losses.Loss) -> bool:
    """Whether a cross-entropy is told that it is given raw scores."""
    return bool(loss._fn_kwargs.get("from_logits", False)) if isinstance(loss, LossFunctionWrapper) else False


def twin(loss: keras.losses.Loss, **settings: object) -> keras.losses.Loss:
    """The same loss with other settings of its function."""
    made = copy(loss)
    made._fn_kwargs = {**loss._fn_kwargs, **settings}
    return made
