"""Every fact a run can state, declared once.

A setting found next to a log (`hparams.yaml`, a W&B config, `args.json` ...) becomes one of these when
`vocabulary` recognizes its name; all settings stay available under their own names in `Run.settings`.
"""

from traindx.run import Fact

OPTIMIZER = Fact("optimizer", "the optimizer's class, such as AdamW")
LEARNING_RATE = Fact("learning_rate", "the learning rate the run was configured with")
MIN_LEARNING_RATE = Fact("min_learning_rate", "the learning rate the schedule ends at")
BATCH_SIZE = Fact("batch_size", "samples per batch on one device")
GLOBAL_BATCH_SIZE = Fact("global_batch_size", "samples per optimizer step over all devices")
ACCUMULATION = Fact("accumulation", "batches whose gradients are accumulated for one optimizer step")
WEIGHT_DECAY = Fact("weight_decay", "the weight decay or L2 coefficient")
MOMENTUM = Fact("momentum", "the momentum coefficient (beta1 for Adam)")
BETA2 = Fact("beta2", "the second-moment coefficient of Adam-like optimizers")
GRADIENT_CLIP = Fact("gradient_clip", "the norm or value that gradients are clipped to")
SCHEDULE = Fact("schedule", "the learning-rate schedule, such as cosine")
WARMUP_STEPS = Fact("warmup_steps", "optimizer steps of learning-rate warm-up")
WARMUP_RATIO = Fact("warmup_ratio", "share of the run spent in learning-rate warm-up")
PLANNED_STEPS = Fact("planned_steps", "optimizer steps the run was meant to take")
PLANNED_EPOCHS = Fact("planned_epochs", "epochs the run was meant to take")
DROPOUT = Fact("dropout", "the dropout probability")
LABEL_SMOOTHING = Fact("label_smoothing", "the label-smoothing coefficient")
PENALTY_SHARE = Fact(
    "penalty_share",
    "the largest share of the loss that was a penalty on the weights added to it",
    chosen=False,
)
PRECISION = Fact("precision", "the dtype of the forward pass, such as bf16")
SEED = Fact("seed", "the random seed")
MODEL = Fact("model", "the model's name or class")
PARAMETERS = Fact("parameters", "number of trainable parameters")
DATASET = Fact("dataset", "the name of the dataset")
CLASSES = Fact("classes", "number of classes")
VOCABULARY_SIZE = Fact("vocabulary_size", "tokens a language model chooses among")
SEQUENCE_LENGTH = Fact("sequence_length", "tokens per sample")
WORKERS = Fact("workers", "data-loader worker processes")
RANKS = Fact("ranks", "number of processes in distributed training")
RANKS_APART = Fact(
    "ranks_apart",
    "largest difference between the weight norms that two processes end with, as a share of them, of layers"
    " that all began with alike",
    chosen=False,
)
LOSS_FUNCTION = Fact("loss_function", "the loss function's name")
FRAMEWORK = Fact("framework", "the library that ran the training loop")
SMOOTHING = Fact("smoothing", "how the logger smoothed the values before writing them", chosen=False)
OBJECTIVE = Fact("objective", "what the run trains, as given with --objective", chosen=False)
LIBRARIES = Fact("libraries", "imported libraries that train one kind of thing, such as trl or diffusers")
STEPS_PER_EPOCH = Fact("steps_per_epoch", "optimizer steps in one pass over the data")
LOG_INTERVAL = Fact("log_interval", "steps between two logged points", chosen=False)
RESUMED_AT = Fact(
    "resumed_at",
    "the first step of a run that continues an earlier one and was read without it",
    chosen=False,
)
LOSS_BEFORE = Fact(
    "loss_before", "the loss of the earlier run at the step this one resumed from", chosen=False
)
LEARNING_RATE_BEFORE = Fact(
    "learning_rate_before",
    "the learning rate of the earlier run at the step this one resumed from",
    chosen=False,
)
SHUFFLE = Fact("shuffle", "whether the training data is shuffled")
TRAINING_SAMPLES = Fact("training_samples", "number of samples in the training data")
ACTIVATION = Fact("activation", "the activation function, such as relu")
LAYERS = Fact("layers", "number of layers or blocks of the model")
OPTIMIZERS_IN_TURN = Fact(
    "optimizers_in_turn", "optimizers that alternate, each with its own loss and parameters, as in a GAN"
)
OPTIMIZER_PLACE = Fact("optimizer_place", "file and line where the optimizer is created", chosen=False)
STEP_PLACE = Fact("step_place", "file and line of the optimizer step", chosen=False)
LOSS_PLACE = Fact("loss_place", "file and line where the loss is computed", chosen=False)
BACKWARD_PLACE = Fact("backward_place", "file and line of the backward pass", chosen=False)
VALIDATION_PLACE = Fact(
    "validation_place", "file and line where the validation loss is computed", chosen=False
)
SCRIPT = Fact("script", "the program that was run")
COMMAND = Fact("command", "the command that Python was started with", chosen=False)
PROGRAM_ARGUMENTS = Fact("program_arguments", "the arguments the program was run with")
READ_FROM = Fact(
    "read_from", "what a program without a recording was judged by: its output, its log files", chosen=False
)
READ_FROM_FILES = Fact(
    "read_from_files", "quantities that a recording lacks, and the log file they were read from", chosen=False
)
EXPERIMENT = Fact("experiment", "what traindx changed for this run, if it is a trial run")
RECORDING_COST = Fact(
    "recording_cost", "CPU time that recording took, as a share of the program's own", chosen=False
)
LOSSES_DIFFER = Fact(
    "losses_differ", "why the training loss is not comparable to the validation loss; empty if it is"
)
RECORDING_SECONDS = Fact("recording_seconds", "CPU seconds that recording took", chosen=False)
SAMPLING_GAP = Fact(
    "sampling_gap", "steps between sampled steps late in the run, if the budget made it longer", chosen=False
)
CONTENTION = Fact(
    "contention", "share of the time it could run that the training waited for a processor", chosen=False
)
RECORDED_SECONDS = Fact("recorded_seconds", "seconds from the first recorded event to the last", chosen=False)
RANK = Fact("rank", "the rank of this process in distributed training", chosen=False)
DEVICE = Fact("device", "the device of the model parameters, such as cpu or cuda")
PARAMETER_PRECISION = Fact("parameter_precision", "the dtype of the parameters, such as float32")
COMPILED = Fact("compiled", "whether torch.compile was used")
FROZEN_PARAMETERS = Fact("frozen_parameters", "model parameters with requires_grad=False")
UNOPTIMIZED_PARAMETERS = Fact("unoptimized_parameters", "trainable model parameters that are in no optimizer")
UNLISTED_PARTS = Fact(
    "unlisted_parts", "the attribute in which the model keeps modules that model.parameters() does not list"
)
UNLISTED_PLACE = Fact("unlisted_place", "file and line where such modules are put there", chosen=False)
MADE_ANEW = Fact("made_anew", "the class of modules that are created anew in each forward pass")
MADE_ANEW_PLACE = Fact("made_anew_place", "file and line where such a module is called", chosen=False)
STALE_PARAMETERS = Fact(
    "stale_parameters", "parameters in an optimizer that are not part of the model in use"
)
GRADIENTLESS_PARAMETERS = Fact(
    "gradientless_parameters",
    "parameters in an optimizer that never got a nonzero gradient",
    chosen=False,
)
GRADIENTS_CLEARED = Fact("gradients_cleared", "share of sampled steps that started with cleared gradients")
BACKWARDS_PER_STEP = Fact("backwards_per_step", "backward passes per optimizer step")
LOSS_DIVISOR = Fact("loss_divisor", "what the loss is divided by before the backward pass")
TRAINED_IN_EVAL_MODE = Fact(
    "trained_in_eval_mode", "share of sampled training steps with the model in eval mode"
)
VALIDATED_IN_TRAIN_MODE = Fact(
    "validated_in_train_mode", "share of sampled validation batches with the model in train mode"
)
VALIDATED_WITH_GRADIENT = Fact(
    "validated_with_gradient", "share of sampled validation batches that built an autograd graph"
)
NORMALIZATION_LAYERS = Fact("normalization_layers", "number of normalization layers in the model")
AVERAGING_MOMENTUM = Fact("averaging_momentum", "the smallest momentum of the BatchNorm running statistics")
DROPOUT_LAYERS = Fact("dropout_layers", "number of dropout layers in the model")
OUTPUT_ACTIVATION = Fact("output_activation", "the activation whose output goes into the loss function")
LOSS_SHAPES = Fact("loss_shapes", "shapes of prediction and target if they broadcast in the loss")
CLASS_BALANCE = Fact(
    "class_balance", "count of the most frequent class over the rarest, among sampled targets", chosen=False
)
CLASS_WEIGHTS = Fact("class_weights", "whether the loss uses class weights")
INITIAL_LOSS = Fact("initial_loss", "the loss of the first step, before any update", chosen=False)
CHANCE_LOSS = Fact(
    "chance_loss", "the loss of the best constant prediction, from sampled targets", chosen=False
)
KEPT_ROWS = Fact("kept_rows", "training rows kept for comparison with validation rows", chosen=False)
ROWS_AT_ONCE = Fact(
    "rows_at_once", "most different training rows that entered the model at once", chosen=False
)
VALIDATION_SAMPLES = Fact("validation_samples", "number of samples in the validation data")
PIN_MEMORY = Fact("pin_memory", "whether the data loader pins memory")
NONFINITE_SOURCE = Fact(
    "nonfinite_source",
    "source of the first NaN or infinity: input, target, parameter, operation, loss or gradient",
    chosen=False,
)
FROM_LOGITS = Fact("from_logits", "whether a loss function for probabilities was set to expect logits")
TARGET_VALUES = Fact("target_values", "distinct values among numeric targets, up to 100", chosen=False)
TARGETS_ARE_WHOLE = Fact(
    "targets_are_whole", "whether all sampled numeric targets are integers", chosen=False
)
OUTPUTS = Fact("outputs", "model outputs per sample, as passed to the loss function")
LOADER_PLACE = Fact("loader_place", "file and line where the training data loader is created", chosen=False)
MODEL_PLACE = Fact("model_place", "file and line where the model class is defined", chosen=False)
CLIP_PLACE = Fact("clip_place", "file and line where gradients are clipped", chosen=False)
SCHEDULE_PLACE = Fact(
    "schedule_place", "file and line where the learning-rate schedule is created", chosen=False
)
PLATEAU_MODE = Fact("plateau_mode", "the mode of ReduceLROnPlateau: min for a loss, max for a score")
PLATEAU_FIRST = Fact("plateau_first", "the first value that ReduceLROnPlateau was given", chosen=False)
PLATEAU_LAST = Fact("plateau_last", "the last value that ReduceLROnPlateau was given", chosen=False)
MIXING_LAYER = Fact("mixing_layer", "a layer with batch_first=False that takes samples for time steps")
MIXED_SAMPLES = Fact(
    "mixed_samples",
    "how many samples such a layer takes for time steps; 0 if its layout is right",
    chosen=False,
)
LAYOUT_PLACE = Fact("layout_place", "file and line where such a layer is created", chosen=False)
METRIC_PLACE = Fact("metric_place", "file and line where an uninformative metric is computed", chosen=False)
LINEAR_LAYERS = Fact("linear_layers", "linear and convolution layers between input and loss")
NONLINEARITIES = Fact("nonlinearities", "nonlinear operations between input and loss")
GATES = Fact("gates", "layers whose sigmoids only scale other values", chosen=False)
LINEAR_IN_A_ROW = Fact(
    "linear_in_a_row", "linear layers that follow another one without an activation between them"
)
NARROW_LAYERS = Fact("narrow_layers", "layers of few units that everything passes", chosen=False)
LOSS_REDUCTION = Fact("loss_reduction", "the reduction of the loss function: mean, sum or none")
LOSS_FACTOR = Fact(
    "loss_factor", "value passed to backward() over the value of the loss function: -1 if it is negated"
)
OUTPUT_DROPOUT = Fact("output_dropout", "probability of a dropout whose output goes into the loss function")
INPUT_DROPOUT = Fact("input_dropout", "probability of a dropout applied directly to the input")
DROPOUT_IN_VALIDATION = Fact(
    "dropout_in_validation", "share of sampled validation batches with active dropout"
)
ACCURACY_OF_NUMBERS = Fact(
    "accuracy_of_numbers", "whether the program compares real-valued predictions and targets with =="
)
ARGMAX_OVER_ONE = Fact("argmax_over_one", "whether the program takes argmax over a single output")
PAIRS_COMPARED = Fact(
    "pairs_compared", "whether predictions (N, 1) and targets (N,) are compared with ==, which broadcasts"
)
READS_PER_STEP = Fact("reads_per_step", "GPU syncs per step: item(), tolist(), cpu() or numpy()")
READ_PLACE = Fact("read_place", "file and line of most GPU syncs", chosen=False)
COUNTED_TARGETS = Fact(
    "counted_targets",
    "share of the sampled class labels that the loss counts: not ignore_index",
    chosen=False,
)
LABEL_FAULT = Fact("label_fault", "what is wrong with targets that the loss function rejected or misread")
LOWEST_LABEL = Fact(
    "lowest_label",
    "the lowest of labels outside the range of the loss: 1 for 1 to the outputs, -1 for -1 and 1, else 0",
)
KL_INPUT = Fact("kl_input", "the largest input of `kl_div`, which expects log-probabilities: at most 0")
TRUE_CLASSES = Fact(
    "true_classes", "the most classes that are true of one sample, in a loss for one of several classes"
)
UNSEEN_CLASSES = Fact("unseen_classes", "classes of validation targets that never occur in training")
UNUSED_CLASS = Fact("unused_class", "a class that has an output but no target")
FIRST_LAYER_NORMALIZES = Fact("first_layer_normalizes", "whether the first layer normalizes the input")
EXAM = Fact("exam", "an exam of the same training run, and what it found", chosen=False)
TOLD = Fact("told", "what a person answered in an interview", chosen=False)
EXIT_CODE = Fact("exit_code", "the exit code of the training process", chosen=False)
CRASH_PLACE = Fact("crash_place", "file and line of the exception that ended the program", chosen=False)

FACTS: dict[str, Fact] = {fact.slug: fact for fact in list(globals().values()) if isinstance(fact, Fact)}
"""Every fact above by its slug."""
