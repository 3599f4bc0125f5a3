"""The words that tell what a name stands for: positions, parts of the data, qualifiers, hyperparameters.

step, global_step, trainer/global_step, iter, num_updates      steps
total_timesteps, consumed samples, tokens_seen, kimg           samples

What words beside a head do to the meaning of a name:

train_loss_epoch     `epoch` tells the grain
value_loss_coef      `coef` makes it a setting of the loss
lr-AdamW             `adamw` tells nothing beside a learning rate

optimizer.name, optimizer._target_, optim              OPTIMIZER
val_batch_size, teacher.lr, lrf                        no fact: of something else, or in another unit
"""

from traindx import facts as f
from traindx import quantities as q
from traindx.run import Axis, Fact, Quantity, Split

_STEP_NAMES = """
step; steps; global step; global steps; train step; train global step; training step; optimizer step;
optimizer steps; opt step; opt steps; grad step; grad steps; gradient step; learner step; learner steps;
current step; current steps; cur step; cur steps; trained steps; completed steps; step num; step number;
step no; step idx; step index; step id; step count; global step num; num global steps; num steps trained
iter; iters; iteration; iterations; it; its; itr; itrs; iter count; global iter; global iters;
global iteration; global iterations; global it; train iter; train iteration; training iteration;
learning iteration; current iter; current iteration; cur iter; n iter; niter; iter num; iter number;
iter no; iter idx; iter id; iteration num; iteration number; iteration idx
update; updates; num updates; train num updates; valid num updates; n updates; num update; n update;
total updates; update step
batch; batches; global batch; batch idx; batch index; batch id; batch num; batch number; batch no;
minibatch; minibatches; mini batch; minibatch idx; round; boosting round
"""

_EPOCH_NAMES = """
epoch; epochs; ep; epoch num; epoch number; epoch no; epoch idx; epoch index; epoch id; epoch count; epoch i;
current epoch; cur epoch; train epoch; training epoch; global epoch; epoch float; epoch frac; epoch nr; epch
"""

_SAMPLE_NAMES = """
sample; samples; smpl; frame; frames; token; tokens; images; imgs; examples; instances; kimg; nimg; kimgs
timestep; timesteps; time steps; total timesteps; num timesteps; timesteps total; total num timesteps;
timesteps so far; n timesteps; env step; env steps; env frames; environment step; environment steps;
total env steps; total env interacts; env interacts; env interactions; num env steps; total environment steps;
num env steps sampled; num env steps sampled lifetime; num env steps trained; num agent steps sampled;
num agent steps trained; num steps sampled; actor steps; total frames; num frames; n frames; frames total
samples seen; num samples seen; seen samples; consumed samples; consumed train samples; total samples;
samples processed; samples consumed; examples seen; num examples seen; seen examples; images seen; imgs seen;
num images seen; instances seen; tokens seen; num tokens seen; seen tokens; consumed tokens;
consumed train tokens; tokens consumed; tokens processed; total tokens; num tokens; num input tokens seen;
train tokens; training tokens; n tokens seen; ntokens seen; n tokens; total tokens seen
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _names(table: str) -> list[str]:
    """The names of a table, which semicolons and line ends part."""
    return [" ".join(name.split()) for name in table.replace("\n", ";").split(";") if name.strip()]


POSITIONS = {
    name: axis
    for axis, table in ((Axis.STEP, _STEP_NAMES), (Axis.EPOCH, _EPOCH_NAMES), (Axis.SAMPLE, _SAMPLE_NAMES))
    for name in _names(table)
}
"""What each name of a position counts, by its words."""

POSITION_SIGNS = {"#": Axis.STEP, "E": Axis.EPOCH}
"""The headings of spaCy's table, which are no words."""

POSITION_PLACES = _words(
    "trainer train training time timers counters counter info progress global general charts optim "
    "throughput log logs stats metrics meta misc state rollout performance lightning custom"
)
"""The words that may stand before the slash of a position's name, as in `trainer/global_step`."""

NOT_POSITIONS = frozenset({"time iterations", "train n updates"})
"""Stable-Baselines3 counts rollouts here; its runs are placed by `time/total_timesteps`."""

SPLIT_WORDS: dict[str, Split] = {
    **dict.fromkeys("train training trn trainset tr fit learn".split(), Split.TRAIN),
    **dict.fromkeys(
        "val vals valid validation validate validating validset valset valloader devset dev development "
        "eval evals evaluation evaluate evaluating holdout heldout".split(),
        Split.VALIDATION,
    ),
    **dict.fromkeys("test tests testing tst testset".split(), Split.TEST),
}
"""The words that name a part of the data."""

SHORT_SPLIT_WORDS: dict[str, Split] = {
    **dict.fromkeys(("tr", "fit", "learn"), Split.TRAIN),
    **dict.fromkeys(("va", "vl"), Split.VALIDATION),
    "te": Split.TEST,
}
"""Words that name a split at the start of a metric's name, and mean anything elsewhere (`tr` is Turkish)."""

SPLIT_VERBS = _words("fit evaluate evaluating validate validating testing")
"""Words that say what is being done: a number after them is hardly a result."""

SOFT_SPLIT_WORDS = _words("eval evals evaluation evaluate evaluating")
"""Words for an activity rather than a part of the data: an evaluation may be of the test set."""

GRAINS: dict[str, str] = {
    **dict.fromkeys(("epoch", "epochs"), "epoch"),
    **dict.fromkeys(("step", "batch", "iter", "iteration", "minibatch"), "step"),
}
"""Words that tell over what a number was taken."""

NEUTRAL = _words(
    """total overall all global avg average mean main running current cur lm language metrics metric log logs
    stats scalar scalars charts rollout optim core loss losses per of the on set in for at percent pct
    performance now"""
).union(GRAINS)
"""Words that do not tell one number from another."""

KINDS_OF_ACCURACY = _words("sparse categorical binary multiclass top1")
"""Words that say how an accuracy is computed, of which a log has one."""

NO_LOSSES = _words("approx approxkl clipfrac entropy values alpha")
"""What is no loss though CleanRL keeps it in a folder `losses`."""

ABOUT_WHAT_PRECEDES = _words(
    """weight weights coef coeff coefficient lambda scale scaler factor ratio limit threshold thresholds
    thresh patience delta diff gap change improvement improved window every interval freq frequency time
    runtime timestamp count counts grad grads gradient gradients eta seconds message frac fraction code scores
    signs"""
)
"""Words after a metric that make the name something about it: `loss_weight`."""

ABOUT_WHAT_STANDS_NEXT = _words("fn func function type name num number")
"""The same, but only right after it: `loss_function`, not `Loss/value_function`."""

ABOUT_WHAT_FOLLOWS = _words("num number count counts eta n delta frac fraction cache")
"""Words before a metric that make the name something about it: `num_hits`."""

ABOUT_A_RATE = _words(
    "decay mult multiplier factor scale schedule scheduler policy ratio warmup find finder range gamma clip"
)
"""Words after a learning rate that make the name a setting of it: `lr_decay`."""

UNITS = _words("ms s sec secs second seconds mb gb gib mib m g")

NEUTRAL_BESIDE_ALONE = UNITS | _words(
    "avg average mean time metrics perf stats timers optim total throughput device charts per"
)
"""Words that do not disturb a head that must stand alone: `time_ms`, `throughput/device/mfu`."""

_OPTIMIZERS = _words(
    """adam adamw adamax nadam radam sgd rmsprop adagrad adadelta adafactor lion lamb lars muon fused
    decoupled fusedadam lbfgs rprop asgd optimizer x lr scheduler"""
)
_EPISODE = _words("ep episode episodes episodic env environment runners agent")

WORDS_OF_RETURNS = _words(
    """std min max median var sum cumulative discounted undiscounted normalized normalized raw extrinsic
    intrinsic policy actor agent team expert smoothed moving last 100 100ep"""
)
"""The words that may qualify the return of an episode."""

NEUTRAL_BESIDE: dict[Quantity, frozenset[str]] = {
    q.LEARNING_RATE: _OPTIMIZERS,
    q.MOMENTUM: _OPTIMIZERS,
    q.WEIGHT_DECAY: _OPTIMIZERS,
    q.GRADIENT_NORM: _OPTIMIZERS | _words("l2 2 2.0 model norm norms"),
    q.WEIGHT_NORM: _words("l2 model"),
    q.REWARD: _EPISODE | _words("last 100 100ep"),
    q.EPISODE_LENGTH: _EPISODE,
    q.THROUGHPUT: _words("time speed perf throughput"),
}
"""Words that tell nothing more beside each quantity."""

MEASURED_IN_EVALUATION = frozenset({q.REWARD, q.EPISODE_LENGTH, q.STEP_TIME, q.DATA_TIME, q.THROUGHPUT})
"""Quantities of the run that an evaluation has of its own; the others are the same wherever they stand."""

DETECTION_PLACES = _words("metrics coco bbox segm keypoints lvis voc pascal")
DETECTION_METRICS = ("map", "ap", "precision", "recall", "top")

_FACT_NAMES: dict[Fact, str] = {
    f.OPTIMIZER: """optimizer; optim; opt; optimiser; optimizer name; optimizer type; optimizer class;
        optim name; optim type; opt name; optimizer class name""",
    f.LEARNING_RATE: """lr; learning rate; learningrate; lrate; base lr; max lr; initial lr; init lr; lr0;
        lr init; peak lr; start lr; starting lr; base learning rate; initial learning rate;
        init learning rate; max learning rate; peak learning rate; learning rate init; optimizer lr;
        optim lr; adam lr; train lr; lr max; optimizer learning rate""",
    f.MIN_LEARNING_RATE: """min lr; final lr; end lr; lr min; lr end; lr final; eta min;
        min learning rate; minimum lr; end learning rate; final learning rate; learning rate min;
        learning rate end; minimum learning rate""",
    f.BATCH_SIZE: """batch size; bs; bsz; batch; batchsize; train batch size; training batch size;
        train bs; per device train batch size; per gpu train batch size; per device batch size;
        per gpu batch size; batch size per gpu; batch size per device; device batch size;
        micro batch size; microbatch size; train micro batch size per gpu; device train microbatch size;
        mini batch size; minibatch size; samples per gpu; local batch size; batch size train;
        rank microbatch size; micro train batch size""",
    f.GLOBAL_BATCH_SIZE: """global batch size; global train batch size; total batch size;
        effective batch size; total train batch size; ims per batch; world batch size""",
    f.ACCUMULATION: """gradient accumulation steps; accumulate grad batches; grad accum; grad accum steps;
        gradient accumulation; gradient accumulation iters; accumulation steps; accumulate; accum iter;
        accum steps; accum grad; grad accumulation steps; grad accumulation; update freq;
        gradient accumulate every; iters to accumulate; accumulate steps; acc steps""",
    f.WEIGHT_DECAY: """weight decay; wd; l2; l2 reg; l2 regularization; weight decay rate; weightdecay;
        l2 penalty; l2 lambda; adam weight decay; optimizer weight decay""",
    f.MOMENTUM: "momentum; beta1; beta 1; adam beta1; adam beta 1; b1; sgd momentum; betas 0; adam betas 0",
    f.BETA2: "beta2; beta 2; adam beta2; adam beta 2; b2; betas 1; adam betas 1",
    f.GRADIENT_CLIP: """grad clip; max grad norm; clip grad; gradient clip val; clip norm; clip grad norm;
        clipnorm; gradient clipping; gradient clip; grad clip norm; gradient clip norm; max norm;
        clip gradient; clip gradients; clip max norm; max gradient norm; grad norm clip; clip value;
        grad clip value; clipvalue; gradient max norm; grad max norm; clip grad max norm; max grad;
        grad clipping; gradient clip value""",
    f.SCHEDULE: """lr scheduler type; scheduler; schedule; sched; lr policy; lr schedule; lr scheduler;
        scheduler type; scheduler name; lr scheduler name; lr decay style; learning rate schedule;
        learning rate scheduler; lr schedule type; schedule type; lr decay type; learning rate policy""",
    f.WARMUP_STEPS: """warmup steps; warmup iters; num warmup steps; lr warmup iters; lr warmup steps;
        warmup updates; warmup iterations; n warmup steps; warmup num steps; num warmup iters;
        warm up steps; warmup iter; learning rate warmup steps; warmup step""",
    f.WARMUP_RATIO: """warmup ratio; warmup fraction; lr warmup fraction; warmup proportion; warmup pct;
        pct start; warmup frac; warmup percent; lr warmup ratio""",
    f.PLANNED_STEPS: """max steps; max iters; max iter; num iterations; total steps; train iters;
        max iterations; n iters; num iters; total iters; total iterations; num train steps;
        num training steps; max train steps; max training steps; train steps; training steps; max update;
        max updates; total train steps; iterations; iters; steps; train iterations; n iterations;
        total training steps; num updates; total updates; planned steps""",
    f.PLANNED_EPOCHS: """epochs; num train epochs; max epochs; num epochs; n epochs; max epoch;
        total epochs; num epoch; nepochs; n epoch; nb epoch; nb epochs; train epochs; training epochs;
        num training epochs; total epoch; number of epochs; max num epochs; planned epochs""",
    f.DROPOUT: """dropout; p dropout; dropout p; dropout rate; dropout prob; dropout probability;
        hidden dropout prob; hidden dropout; drop rate; drop; resid pdrop; dropout ratio;
        classifier dropout; drop prob; drop p""",
    f.LABEL_SMOOTHING: """label smoothing; label smoothing factor; smoothing; label smooth;
        labelsmoothing; label smoothing eps""",
    f.PRECISION: """precision; mixed precision; dtype; torch dtype; fp16; bf16; amp; use amp; half;
        half precision; float16; bfloat16; use fp16; use bf16; amp dtype; train dtype; compute dtype;
        param dtype; training precision""",
    f.SEED: """seed; random seed; manual seed; rng seed; random state; seed everything; torch seed;
        global seed""",
    f.MODEL: """model; arch; model name; architecture; model type; model name or path; base model; net;
        network; backbone; model id; pretrained model name or path; model architecture; model class;
        meta architecture; name or path; model arch; network name; model class name;
        base model name or path""",
    f.PARAMETERS: """n parameters; num params; n params; num parameters; total params; trainable params;
        total parameters; trainable parameters; number of parameters; num trainable params;
        n trainable params; model num parameters; num trainable parameters; model parameters;
        parameter count; param count; nparams""",
    f.DATASET: """dataset; data; dataset name; data set; dataset id; data name; train dataset;
        dataset type; training dataset; training data""",
    f.CLASSES: """num classes; n classes; nc; num labels; number of classes; nb classes; nclasses;
        num class; n class""",
    f.VOCABULARY_SIZE: "vocab size; vocabulary size; n vocab; nvocab; vocab",
    f.SEQUENCE_LENGTH: """block size; seq len; seq length; max seq length; max seq len; sequence length;
        sequence len; context length; context size; context len; ctx len; n ctx; max length; cutoff len;
        model max length; max sequence length; bptt; seqlen""",
    f.WORKERS: """num workers; workers; dataloader num workers; n workers; nworkers; data workers;
        num data workers; workers per gpu; dataloader workers; number of workers; n cpu""",
    f.RANKS: """world size; ngpus; n gpus; num gpus; n gpu; gpus; devices; num devices; num processes;
        nranks; num ranks; gpu count; number of gpus""",
    f.LOSS_FUNCTION: """loss; criterion; loss fn; loss function; loss type; loss name; loss func;
        objective; loss class""",
    f.STEPS_PER_EPOCH: """steps per epoch; iters per epoch; iterations per epoch; batches per epoch;
        num batches per epoch; num steps per epoch; updates per epoch; num update steps per epoch;
        iter per epoch""",
    f.LOG_INTERVAL: """log interval; logging steps; log every; log every n steps; log freq; log steps;
        print freq; log period; logging interval; log step; log frequency; logging step; print every;
        log iter""",
    f.FRAMEWORK: "framework",
    f.SHUFFLE: "shuffle; shuffle data; shuffle train; train shuffle; shuffle training data",
    f.TRAINING_SAMPLES: """num train samples; n train samples; train samples; train size;
        num training samples; num train examples; num training examples; train set size; n train;
        num train; training samples; num examples; training set size; train dataset size; n train examples""",
    f.ACTIVATION: """activation; activation function; hidden act; act; nonlinearity; activation fn;
        act fn; act layer""",
    f.LAYERS: """num layers; n layer; n layers; layers; num hidden layers; depth; nlayers;
        number of layers; nlayer""",
    f.EXIT_CODE: "exit code; exitcode",
}

FACTS_BY_NAME = {name: fact for fact, table in _FACT_NAMES.items() for name in _names(table)}
"""The fact that each name states, by its words."""

WRAPPERS = frozenset({"value", "default"})
"""Last words that only wrap the setting before them, as in a W&B config's `lr.value`."""

NAMING_WRAPPERS = frozenset(
    {"name", "type", "target", "class", "class name", "classname", "id", "kind", "enabled"}
)
"""Last words that name which one it is, as in `optimizer.name`."""

NAMED_FACTS = frozenset(
    {f.OPTIMIZER, f.SCHEDULE, f.MODEL, f.DATASET, f.LOSS_FUNCTION, f.PRECISION, f.ACTIVATION, f.FRAMEWORK}
)
"""The facts whose value is a name, so that `<fact>.name` states them."""

OTHER_ROLES = frozenset(
    """val valid validation eval evaluation test testing predict prediction inference generation generate ema
    teacher reference ref discriminator disc critic tokenizer bn batchnorm norm sampler sampling checkpoint
    logger wandb callbacks early""".split()
)
"""Words of a place whose settings are not those of the training: `val_dataloader.batch_size`."""
