"""Every fact a run can state, declared once.

A setting found beside a log (`hparams.yaml`, a W&B config, `args.json` ...) becomes one of these when
`vocabulary` recognises its name; all settings stay available under their own names in `Run.settings`.
"""

from traindx.run import Fact

OPTIMIZER = Fact("optimizer", "the optimizer's class, such as AdamW")
LEARNING_RATE = Fact("learning_rate", "the learning rate the run was configured with")
MIN_LEARNING_RATE = Fact("min_learning_rate", "the learning rate the schedule ends at")
BATCH_SIZE = Fact("batch_size", "samples per batch on one device")
GLOBAL_BATCH_SIZE = Fact("global_batch_size", "samples per optimizer step over all devices")
ACCUMULATION = Fact("accumulation", "batches whose gradients are added up before one optimizer step")
WEIGHT_DECAY = Fact("weight_decay", "the weight decay or L2 coefficient")
MOMENTUM = Fact("momentum", "the momentum coefficient (beta1 for Adam)")
BETA2 = Fact("beta2", "the second-moment coefficient of Adam-like optimizers")
GRADIENT_CLIP = Fact("gradient_clip", "the limit gradients are clipped to")
SCHEDULE = Fact("schedule", "the learning-rate schedule, such as cosine")
WARMUP_STEPS = Fact("warmup_steps", "optimizer steps of learning-rate warm-up")
WARMUP_RATIO = Fact("warmup_ratio", "share of the run spent in learning-rate warm-up")
PLANNED_STEPS = Fact("planned_steps", "optimizer steps the run was meant to take")
PLANNED_EPOCHS = Fact("planned_epochs", "epochs the run was meant to take")
DROPOUT = Fact("dropout", "the dropout probability")
LABEL_SMOOTHING = Fact("label_smoothing", "the label-smoothing coefficient")
PRECISION = Fact("precision", "the number format of the forward pass, such as bf16")
SEED = Fact("seed", "the random seed")
MODEL = Fact("model", "the model's name or class")
PARAMETERS = Fact("parameters", "number of trainable parameters")
DATASET = Fact("dataset", "the data set's name")
CLASSES = Fact("classes", "number of classes")
SEQUENCE_LENGTH = Fact("sequence_length", "tokens per sample")
WORKERS = Fact("workers", "data-loader worker processes")
RANKS = Fact("ranks", "processes that train together")
LOSS_FUNCTION = Fact("loss_function", "the loss function's name")
FRAMEWORK = Fact("framework", "the library that ran the training loop")
SMOOTHING = Fact("smoothing", "what the producer did to its numbers before it wrote them", chosen=False)
STEPS_PER_EPOCH = Fact("steps_per_epoch", "optimizer steps in one pass over the data")
LOG_INTERVAL = Fact("log_interval", "steps between two records of the log", chosen=False)
SHUFFLE = Fact("shuffle", "whether the training data is drawn in random order")
TRAINING_SAMPLES = Fact("training_samples", "number of samples in the training data")
ACTIVATION = Fact("activation", "the activation function, such as relu")
LAYERS = Fact("layers", "number of layers or blocks of the model")
OPTIMIZERS_IN_TURN = Fact(
    "optimizers_in_turn", "optimizers that take turns, each with a loss and parameters of its own"
)
OPTIMIZER_PLACE = Fact("optimizer_place", "file and line where the optimizer is made", chosen=False)
STEP_PLACE = Fact("step_place", "file and line of the optimizer step", chosen=False)
LOSS_PLACE = Fact("loss_place", "file and line where the loss is computed", chosen=False)
BACKWARD_PLACE = Fact("backward_place", "file and line of the backward pass", chosen=False)
VALIDATION_PLACE = Fact(
    "validation_place", "file and line where the validation loss is computed", chosen=False
)
SCRIPT = Fact("script", "the program that was run")
PROGRAM_ARGUMENTS = Fact("program_arguments", "the arguments the program was run with")
EXPERIMENT = Fact("experiment", "what traindx itself changed for this run, which is an experiment of its own")
RECORDING_COST = Fact(
    "recording_cost", "share of the run's time that recording took, measured while it ran", chosen=False
)
RECORDED_SECONDS = Fact(
    "recorded_seconds", "seconds from the first recorded moment to the last", chosen=False
)
RANK = Fact("rank", "the number of this process among those that train together", chosen=False)
DEVICE = Fact("device", "where the model's parameters live, such as cpu or cuda")
PARAMETER_PRECISION = Fact("parameter_precision", "the number format of the parameters, such as float32")
COMPILED = Fact("compiled", "whether torch.compile was used")
FROZEN_PARAMETERS = Fact("frozen_parameters", "parameters of the model that take no gradient")
UNOPTIMIZED_PARAMETERS = Fact(
    "unoptimized_parameters", "parameters of the model that take a gradient and that no optimizer holds"
)
STALE_PARAMETERS = Fact(
    "stale_parameters", "parameters an optimizer holds that are not part of the model in use"
)
GRADIENTLESS_PARAMETERS = Fact(
    "gradientless_parameters",
    "parameters an optimizer holds that never got a gradient other than zero",
    chosen=False,
)
GRADIENTS_CLEARED = Fact("gradients_cleared", "share of looked-at steps that began with cleared gradients")
BACKWARDS_PER_STEP = Fact("backwards_per_step", "backward passes before one optimizer step")
LOSS_DIVISOR = Fact("loss_divisor", "what the loss is divided by before the backward pass")
TRAINED_IN_EVAL_MODE = Fact(
    "trained_in_eval_mode", "share of looked-at training steps with the model in eval mode"
)
VALIDATED_IN_TRAIN_MODE = Fact(
    "validated_in_train_mode", "share of looked-at validation batches with the model in train mode"
)
VALIDATED_WITH_GRADIENT = Fact(
    "validated_with_gradient", "share of looked-at validation batches that built a graph for gradients"
)
NORMALISATION_LAYERS = Fact("normalisation_layers", "number of normalisation layers in the model")
AVERAGING_MOMENTUM = Fact(
    "averaging_momentum", "what a batch weighs in the running averages of batch normalisation, at the least"
)
DROPOUT_LAYERS = Fact("dropout_layers", "number of dropout layers in the model")
OUTPUT_ACTIVATION = Fact("output_activation", "the activation whose output enters the loss function")
LOSS_SHAPES = Fact("loss_shapes", "shapes of prediction and target where they broadcast in the loss")
CLASS_BALANCE = Fact("class_balance", "commonest over rarest class among the targets seen", chosen=False)
CLASS_WEIGHTS = Fact("class_weights", "whether the loss weights its classes")
INITIAL_LOSS = Fact(
    "initial_loss", "the loss of the first step, before any change to the parameters", chosen=False
)
CHANCE_LOSS = Fact("chance_loss", "the loss of the best constant guess, from the targets seen", chosen=False)
KEPT_ROWS = Fact(
    "kept_rows", "training rows that rows of validation batches were compared with", chosen=False
)
VALIDATION_SAMPLES = Fact("validation_samples", "number of samples in the validation data")
PIN_MEMORY = Fact("pin_memory", "whether the data loader pins memory")
NONFINITE_SOURCE = Fact(
    "nonfinite_source",
    "what brought in the first NaN or infinity: input, target, parameter, operation, loss or gradient",
    chosen=False,
)
FROM_LOGITS = Fact("from_logits", "whether a loss function for probabilities was told to expect raw scores")
TARGET_VALUES = Fact("target_values", "different values among the target numbers, up to 100", chosen=False)
TARGETS_ARE_WHOLE = Fact("targets_are_whole", "whether all target numbers seen are whole", chosen=False)
OUTPUTS = Fact("outputs", "values the model gives for each sample, as the loss function sees them")
LOADER_PLACE = Fact("loader_place", "file and line where the training data loader is made", chosen=False)
MODEL_PLACE = Fact("model_place", "file and line where the class of the model begins", chosen=False)
CLIP_PLACE = Fact("clip_place", "file and line where gradients are clipped", chosen=False)
SCHEDULE_PLACE = Fact("schedule_place", "file and line where the schedule is made", chosen=False)
METRIC_PLACE = Fact("metric_place", "file and line where a number is computed that cannot tell", chosen=False)
LINEAR_LAYERS = Fact("linear_layers", "layers that multiply with a matrix or a kernel, as the loss sees them")
NONLINEARITIES = Fact("nonlinearities", "operations between the input and the loss function that bend")
LINEAR_IN_A_ROW = Fact(
    "linear_in_a_row", "layers that follow on another linear one with nothing between that bends"
)
LOSS_REDUCTION = Fact("loss_reduction", "how the loss function takes its samples together: mean, sum or none")
LOSS_FACTOR = Fact(
    "loss_factor", "what enters the backward pass over what the loss function gave: -1 where it is negated"
)
OUTPUT_DROPOUT = Fact("output_dropout", "probability of the dropout whose output enters the loss function")
INPUT_DROPOUT = Fact("input_dropout", "probability of the dropout that the input passes first")
DROPOUT_IN_VALIDATION = Fact(
    "dropout_in_validation", "share of looked-at validation batches in which a dropout was active"
)
ACCURACY_OF_NUMBERS = Fact(
    "accuracy_of_numbers", "whether the program compares real-valued predictions with their targets by =="
)
ARGMAX_OVER_ONE = Fact("argmax_over_one", "whether the program takes the largest of a single output")
PAIRS_COMPARED = Fact(
    "pairs_compared", "whether predictions (N, 1) are compared with targets (N,) by ==, each with each"
)
READS_PER_STEP = Fact(
    "reads_per_step", "values a step takes out of tensors one by one, by item(), tolist(), cpu() or numpy()"
)
READ_PLACE = Fact("read_place", "file and line where most values are taken out of tensors", chosen=False)
LABEL_FAULT = Fact("label_fault", "what is wrong with targets that the loss function refused or misread")
UNUSED_CLASS = Fact("unused_class", "a class that has an output and that no target names")
FIRST_LAYER_NORMALISES = Fact("first_layer_normalises", "whether the input meets a normalisation first")
EXAM = Fact("exam", "an exam that was held beside the run, and what it found", chosen=False)
TOLD = Fact("told", "what a person answered in an interview", chosen=False)
EXIT_CODE = Fact("exit_code", "the exit code of the training process", chosen=False)

FACTS: dict[str, Fact] = {fact.slug: fact for fact in list(globals().values()) if isinstance(fact, Fact)}
"""Every fact above by its slug."""
