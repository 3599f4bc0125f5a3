"""Every quantity traindx knows, declared once.

Losses, accuracies and other metrics exist per split. `SCORE` quantities are the metrics where higher is
better (mAP50, rouge1, F1 ...), `ERROR` those where lower is better (MAE, WER, FID ...); which metric it is
stands in the series' `part`. Quantities marked per layer carry the layer's name.
"""

from traindx.quantity import Better, Quantity, Split

_LOWER, _HIGHER = Better.LOWER, Better.HIGHER
_TRAIN, _VAL, _TEST = Split.TRAIN, Split.VALIDATION, Split.TEST

TRAIN_LOSS = Quantity("train_loss", "loss on training batches", better=_LOWER, split=_TRAIN)
VAL_LOSS = Quantity("val_loss", "loss on validation data during the run", better=_LOWER, split=_VAL)
TEST_LOSS = Quantity("test_loss", "loss on test data", better=_LOWER, split=_TEST)

TRAIN_ACCURACY = Quantity(
    "train_accuracy", "accuracy on training batches", unit="share or percent", better=_HIGHER, split=_TRAIN
)
VAL_ACCURACY = Quantity(
    "val_accuracy", "accuracy on validation data", unit="share or percent", better=_HIGHER, split=_VAL
)
TEST_ACCURACY = Quantity(
    "test_accuracy", "accuracy on test data", unit="share or percent", better=_HIGHER, split=_TEST
)

TRAIN_PERPLEXITY = Quantity("train_perplexity", "perplexity on training batches", better=_LOWER, split=_TRAIN)
VAL_PERPLEXITY = Quantity("val_perplexity", "perplexity on validation data", better=_LOWER, split=_VAL)
TEST_PERPLEXITY = Quantity("test_perplexity", "perplexity on test data", better=_LOWER, split=_TEST)

TRAIN_SCORE = Quantity(
    "train_score", "a metric on training data, higher is better", better=_HIGHER, split=_TRAIN
)
VAL_SCORE = Quantity("val_score", "a metric on validation data, higher is better", better=_HIGHER, split=_VAL)
TEST_SCORE = Quantity("test_score", "a metric on test data, higher is better", better=_HIGHER, split=_TEST)

TRAIN_ERROR = Quantity(
    "train_error", "a metric on training data, lower is better", better=_LOWER, split=_TRAIN
)
VAL_ERROR = Quantity("val_error", "a metric on validation data, lower is better", better=_LOWER, split=_VAL)
TEST_ERROR = Quantity("test_error", "a metric on test data, lower is better", better=_LOWER, split=_TEST)

REWARD = Quantity("reward", "reward or return of an episode", better=_HIGHER)
EPISODE_LENGTH = Quantity("episode_length", "steps of an episode", unit="steps")
ENTROPY = Quantity("entropy", "entropy of a policy or of predictions")
KL_DIVERGENCE = Quantity("kl_divergence", "divergence of a policy from the one before or a reference")

LEARNING_RATE = Quantity("learning_rate", "learning rate, per parameter group where there are several")
MOMENTUM = Quantity("momentum", "momentum of the optimizer")
WEIGHT_DECAY = Quantity("weight_decay", "weight decay of the optimizer")
GRADIENT_NORM = Quantity("gradient_norm", "norm of the gradient, of all parameters or of a layer")
CLIPPED_SHARE = Quantity("clipped_share", "share of steps or values that clipping changed")
LOSS_SCALE = Quantity("loss_scale", "factor the loss is multiplied with in half precision")
SKIPPED_STEPS = Quantity("skipped_steps", "optimizer steps left out, such as after an overflow", unit="steps")
NONFINITE_STEPS = Quantity("nonfinite_steps", "steps whose loss or gradient was not finite", unit="steps")

GRADIENT_MEAN = Quantity("gradient_mean", "mean of a layer's gradient", per_layer=True)
GRADIENT_STD = Quantity("gradient_std", "standard deviation of a layer's gradient", per_layer=True)
WEIGHT_NORM = Quantity("weight_norm", "norm of the weights, of all parameters or of a layer")
WEIGHT_MEAN = Quantity("weight_mean", "mean of a layer's weights", per_layer=True)
WEIGHT_STD = Quantity("weight_std", "standard deviation of a layer's weights", per_layer=True)
UPDATE_RATIO = Quantity("update_ratio", "a layer's update over its weights, by norm", per_layer=True)
ACTIVATION_MEAN = Quantity("activation_mean", "mean of a layer's output", per_layer=True)
ACTIVATION_STD = Quantity("activation_std", "standard deviation of a layer's output", per_layer=True)

EPOCH = Quantity("epoch", "passes over the training data so far", unit="epochs")
ITERATION = Quantity("iteration", "the program's own step count, beside the log's", unit="steps")
SAMPLES_SEEN = Quantity("samples_seen", "samples, tokens or frames consumed so far")
BATCH_SIZE = Quantity("batch_size", "samples per optimizer step", unit="samples")

WALL_TIME = Quantity("wall_time", "time of writing, since the run began or since 1970", unit="s")
STEP_TIME = Quantity("step_time", "time of one step", unit="s or ms")
DATA_TIME = Quantity("data_time", "time a step waited for data", unit="s or ms")
THROUGHPUT = Quantity("throughput", "samples, tokens or steps per second", unit="1/s", better=_HIGHER)
UTILISATION = Quantity("utilisation", "share of the device's peak that was used", better=_HIGHER)
MEMORY = Quantity("memory", "memory in use")

COUNTERS = frozenset({EPOCH, ITERATION, SAMPLES_SEEN, WALL_TIME})
"""Quantities that say where a run stands, and nothing of how it goes."""

QUANTITIES: dict[str, Quantity] = {
    quantity.slug: quantity for quantity in list(globals().values()) if isinstance(quantity, Quantity)
}
"""Every quantity above by its slug."""
