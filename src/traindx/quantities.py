"""Every quantity traindx knows, declared once.

Losses, accuracies and other metrics exist per split. `SCORE` quantities are the metrics where higher is
better (mAP50, rouge1, F1 ...), `ERROR` those where lower is better (MAE, WER, FID ...); which metric it is
stands in the series' `part`. Quantities marked per layer carry the layer's name.
"""

from traindx.run import Better, Quantity, Split

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
KL_DIVERGENCE = Quantity(
    "kl_divergence", "KL divergence of a policy, from its previous version, a reference or its sampler (part)"
)
ZERO_ADVANTAGE_SHARE = Quantity(
    "zero_advantage_share", "share of groups whose answers all earn the same reward", unit="share"
)
KEPT_GROUPS_SHARE = Quantity(
    "kept_groups_share", "share of groups kept because their rewards differ", unit="share"
)
RATIO_CLIPPED_SHARE = Quantity(
    "ratio_clipped_share", "share of probability ratios that PPO or GRPO clips", unit="share"
)
TRUNCATED_SHARE = Quantity(
    "truncated_share", "share of generated answers that reach the length limit", unit="share"
)
RESPONSE_LENGTH = Quantity("response_length", "length of generated answers", unit="tokens")
LOGP_GAP = Quantity("logp_gap", "difference of log-probabilities between sampler and trainer")
IMPORTANCE_RATIO = Quantity("importance_ratio", "probability ratio of the policy to the one that sampled")
EFFECTIVE_SAMPLE_SHARE = Quantity(
    "effective_sample_share", "effective sample size after importance weighting", unit="share"
)
SAMPLER_AGREEMENT = Quantity("sampler_agreement", "correlation of the probabilities of sampler and trainer")
ADVANTAGE = Quantity("advantage", "advantage of actions or answers")
VALUE_TARGET = Quantity("value_target", "return that the value function learns to predict")
VALUE_PREDICTION = Quantity("value_prediction", "predicted value of states or actions")
POLICY_STD = Quantity("policy_std", "std of the actions of a continuous policy")
ENTROPY_COEFFICIENT = Quantity("entropy_coefficient", "weight of the entropy in the loss")
LOG_PROBABILITY = Quantity("log_probability", "log-probability of an answer, chosen or rejected (part)")
MEAN_LOGIT = Quantity("mean_logit", "mean logit of answers, chosen or rejected (part)")
PREFERENCE_MARGIN = Quantity("preference_margin", "score of the chosen answer minus that of the rejected one")
LOGIT_SCALE = Quantity("logit_scale", "scale of the similarities in a contrastive loss")
DISCRIMINATOR_OUTPUT = Quantity(
    "discriminator_output", "mean output of a GAN's discriminator for real or fake samples (part)"
)

LEARNING_RATE = Quantity("learning_rate", "learning rate, per parameter group if there are several")
MOMENTUM = Quantity("momentum", "momentum of the optimizer")
WEIGHT_DECAY = Quantity("weight_decay", "weight decay of the optimizer")
GRADIENT_NORM = Quantity("gradient_norm", "norm of the gradient, of all parameters or of a layer")
CLIPPED_SHARE = Quantity("clipped_share", "share of steps or values that were clipped")
LOSS_SCALE = Quantity("loss_scale", "loss scale of mixed-precision training")
SKIPPED_STEPS = Quantity("skipped_steps", "skipped optimizer steps, such as after an overflow", unit="steps")
NONFINITE_STEPS = Quantity("nonfinite_steps", "steps with a NaN or infinite loss or gradient", unit="steps")

GRADIENT_MEAN = Quantity("gradient_mean", "mean of a layer's gradient", per_layer=True)
GRADIENT_STD = Quantity("gradient_std", "std of a layer's gradient", per_layer=True)
WEIGHT_NORM = Quantity("weight_norm", "norm of the weights, of all parameters or of a layer")
WEIGHT_MEAN = Quantity("weight_mean", "mean of a layer's weights", per_layer=True)
WEIGHT_STD = Quantity("weight_std", "std of a layer's weights", per_layer=True)
UPDATE_RATIO = Quantity("update_ratio", "update/weight ratio of a layer, by norm", per_layer=True)
ACTIVATION_MEAN = Quantity("activation_mean", "mean of a layer's output", per_layer=True)
ACTIVATION_STD = Quantity("activation_std", "std of a layer's output", per_layer=True)

ACTIVATION_ZERO_SHARE = Quantity(
    "activation_zero_share", "share of a layer's outputs that are exactly zero", unit="share", per_layer=True
)
DEAD_UNIT_SHARE = Quantity(
    "dead_unit_share",
    "share of a layer's units that were zero for every sampled input, over several batches",
    unit="share",
    per_layer=True,
)
SATURATED_SHARE = Quantity(
    "saturated_share",
    "share of a layer's outputs that are saturated (sigmoid, tanh)",
    unit="share",
    per_layer=True,
)
NONFINITE_SHARE = Quantity(
    "nonfinite_share", "share of a layer's outputs that are NaN or infinite", per_layer=True
)
CLIPPED_GRADIENT_NORM = Quantity("clipped_gradient_norm", "norm of the gradient after clipping")
GRADIENT_AGREEMENT = Quantity(
    "gradient_agreement", "cosine similarity of consecutive gradients, from -1 to 1"
)
GRADIENT_NOISE_SCALE = Quantity(
    "gradient_noise_scale",
    "gradient noise scale: the batch size at which noise and gradient are equally large",
    unit="samples",
)

INPUT_MEAN = Quantity("input_mean", "mean of the model inputs")
INPUT_STD = Quantity("input_std", "std of the model inputs")
INPUT_MIN = Quantity("input_min", "smallest model input")
INPUT_MAX = Quantity("input_max", "largest model input")
INPUT_SCALE_SPREAD = Quantity("input_scale_spread", "largest over median std of the input features")
INPUT_CONSTANT_SHARE = Quantity(
    "input_constant_share", "share of input features that are constant within a batch", unit="share"
)
INPUT_OUTLIER_SHARE = Quantity(
    "input_outlier_share", "share of input values far outside the range of their feature", unit="share"
)
INPUT_NONFINITE_SHARE = Quantity(
    "input_nonfinite_share", "share of input values that are NaN or infinite", unit="share"
)
REPEATED_SHARE = Quantity(
    "repeated_share", "share of a batch's rows that were also in the previously sampled batch", unit="share"
)
SEEN_SHARE = Quantity(
    "seen_share", "share of a batch's rows that occurred in earlier training batches", unit="share"
)

PREDICTION_MEAN = Quantity("prediction_mean", "mean of the predictions, as passed to the loss function")
PREDICTION_STD = Quantity("prediction_std", "std of the predictions over the batch")
PREDICTION_MIN = Quantity("prediction_min", "smallest prediction")
PREDICTION_MAX = Quantity("prediction_max", "largest prediction")
PREDICTION_NONFINITE_SHARE = Quantity(
    "prediction_nonfinite_share", "share of predictions that are NaN or infinite", unit="share"
)
COMMONEST_PREDICTION_SHARE = Quantity(
    "commonest_prediction_share", "share of a batch predicted as its most frequent class", unit="share"
)
PREDICTION_RECALL = Quantity(
    "prediction_recall",
    "mean per-class recall over the last sampled batches",
    unit="share",
)
PREDICTED_CLASSES = Quantity("predicted_classes", "distinct classes among a batch's predictions")
TARGET_MEAN = Quantity("target_mean", "mean of the targets")
TARGET_STD = Quantity("target_std", "std of the targets")
TARGET_MIN = Quantity("target_min", "smallest target")
TARGET_MAX = Quantity("target_max", "largest target")
TARGET_NONFINITE_SHARE = Quantity(
    "target_nonfinite_share", "share of targets that are NaN or infinite", unit="share"
)
TARGET_CLASSES = Quantity("target_classes", "distinct classes among a batch's targets")
COMMONEST_TARGET_SHARE = Quantity(
    "commonest_target_share", "share of a batch that belongs to its most frequent class", unit="share"
)
NEIGHBOR_AGREEMENT = Quantity(
    "neighbor_agreement",
    "how sorted the targets are within a batch: 0 shuffled, 1 sorted",
)

CONFIDENTLY_WRONG_SHARE = Quantity(
    "confidently_wrong_share",
    "share of a batch whose true class gets probability below 0.1 and another class above 0.5",
    unit="share",
)
EQUAL_UNIT_SHARE = Quantity(
    "equal_unit_share",
    "share of a layer's units with the same weights as another unit",
    unit="share",
    per_layer=True,
)
ATTENTION_LOGIT_RANGE = Quantity(
    "attention_logit_range",
    "largest minus smallest attention logit of a query, mean over queries",
    per_layer=True,
)
ATTENTION_PEAK = Quantity(
    "attention_peak", "largest attention weight of a query, mean over queries", unit="share", per_layer=True
)
READ_TIME = Quantity("read_time", "time a step spent in GPU syncs (item(), cpu() ...)", unit="s or ms")

EPOCH = Quantity("epoch", "passes over the training data so far", unit="epochs")
ITERATION = Quantity("iteration", "the program's own step count, next to that of the log", unit="steps")
SAMPLES_SEEN = Quantity("samples_seen", "samples, tokens or frames processed so far")
BATCH_SIZE = Quantity("batch_size", "samples per optimizer step", unit="samples")

WALL_TIME = Quantity("wall_time", "time of logging, since the start of the run or since 1970", unit="s")
STEP_TIME = Quantity("step_time", "time of one step", unit="s or ms")
DATA_TIME = Quantity("data_time", "time a step waited for data", unit="s or ms")
FORWARD_TIME = Quantity("forward_time", "time a step spent in the forward pass and the loss", unit="s or ms")
BACKWARD_TIME = Quantity("backward_time", "time a step spent in the backward pass", unit="s or ms")
UPDATE_TIME = Quantity("update_time", "time a step spent in the optimizer", unit="s or ms")
OTHER_TIME = Quantity("other_time", "rest of the step time", unit="s or ms")
THROUGHPUT = Quantity("throughput", "samples, tokens or steps per second", unit="1/s", better=_HIGHER)
UTILIZATION = Quantity("utilization", "share of the device's peak performance that was used", better=_HIGHER)
MEMORY = Quantity("memory", "memory in use")

OF_POLICIES = frozenset(
    {
        ENTROPY,
        KL_DIVERGENCE,
        ZERO_ADVANTAGE_SHARE,
        KEPT_GROUPS_SHARE,
        RATIO_CLIPPED_SHARE,
        TRUNCATED_SHARE,
        RESPONSE_LENGTH,
        LOGP_GAP,
        IMPORTANCE_RATIO,
        EFFECTIVE_SAMPLE_SHARE,
        SAMPLER_AGREEMENT,
        ADVANTAGE,
        VALUE_TARGET,
        VALUE_PREDICTION,
        POLICY_STD,
        ENTROPY_COEFFICIENT,
        LOG_PROBABILITY,
        MEAN_LOGIT,
        PREFERENCE_MARGIN,
    }
)
"""What only the training of a policy or of preferences logs."""

COUNTERS = frozenset({EPOCH, ITERATION, SAMPLES_SEEN, WALL_TIME})
"""Quantities that say where a run stands, and nothing of how it goes."""

_OF_BATCHES = ("input_", "prediction_", "target_", "attention_")
_OF_STEPS = {
    GRADIENT_AGREEMENT,
    GRADIENT_NOISE_SCALE,
    REPEATED_SHARE,
    SEEN_SHARE,
    COMMONEST_PREDICTION_SHARE,
    COMMONEST_TARGET_SHARE,
    CONFIDENTLY_WRONG_SHARE,
    PREDICTED_CLASSES,
    NEIGHBOR_AGREEMENT,
    READ_TIME,
}

QUANTITIES: dict[str, Quantity] = {
    quantity.slug: quantity for quantity in list(globals().values()) if isinstance(quantity, Quantity)
}
"""Every quantity above by its slug."""

RECORDED_ONLY = frozenset(
    quantity
    for quantity in QUANTITIES.values()
    if quantity.per_layer or quantity.slug.startswith(_OF_BATCHES) or quantity in _OF_STEPS
)
"""What hardly any log holds: the layers, batches and gradients that `traindx run` looks at."""

FORMER_SLUGS = {
    "first_layer_normalises": "first_layer_normalizes",
    "neighbour_agreement": "neighbor_agreement",
    "normalisation_layers": "normalization_layers",
    "utilisation": "utilization",
}
"""Quantities and facts whose slugs had British spelling in recordings of earlier versions."""
