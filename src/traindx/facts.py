"""Every fact a run can state, declared once.

A setting found beside a log (`hparams.yaml`, a W&B config, `args.json` ...) becomes one of these when
`vocabulary` recognises its name; all settings stay available under their own names in `Run.settings`.
"""

from traindx.fact import Fact

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
SMOOTHING = Fact("smoothing", "what the producer did to its numbers before it wrote them")
STEPS_PER_EPOCH = Fact("steps_per_epoch", "optimizer steps in one pass over the data")
LOG_INTERVAL = Fact("log_interval", "steps between two records of the log")
SHUFFLE = Fact("shuffle", "whether the training data is drawn in random order")
TRAINING_SAMPLES = Fact("training_samples", "number of samples in the training data")
ACTIVATION = Fact("activation", "the activation function, such as relu")
LAYERS = Fact("layers", "number of layers or blocks of the model")
EXIT_CODE = Fact("exit_code", "the exit code of the training process")

FACTS: dict[str, Fact] = {fact.slug: fact for fact in list(globals().values()) if isinstance(fact, Fact)}
"""Every fact above by its slug."""
