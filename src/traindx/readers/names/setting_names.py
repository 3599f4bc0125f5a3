"""What people call hyperparameters, and the facts they state.

learning_rate, optimizer.lr, SOLVER.BASE_LR            LEARNING_RATE
per_device_train_batch_size, data.batch_size           BATCH_SIZE
optimizer.name, optimizer._target_, optim              OPTIMIZER
val_batch_size, teacher.lr, lrf                        no fact: of something else, or in another unit
"""

from traindx import facts as f
from traindx.run import Fact

_NAMES: dict[Fact, str] = {
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
    f.SEQUENCE_LENGTH: """block size; seq len; seq length; max seq length; max seq len; sequence length;
        sequence len; context length; context size; context len; ctx len; n ctx; max length; cutoff len;
        model max length; max sequence length; bptt; seqlen""",
    f.WORKERS: """num workers; workers; dataloader num workers; n workers; nworkers; data workers;
        num data workers; workers per gpu; dataloader workers; number of workers; n cpu""",
    f.RANKS: """world size; ngpus; n gpus; num gpus; n gpu; gpus; devices; num devices; num processes;
        nranks; num ranks; gpu count; number of gpus""",
    f.LOSS_FUNCTION: """loss; criterion; loss fn; loss function; loss type; loss name; loss func;
        objective; loss class""",
    f.FRAMEWORK: "framework",
    f.STEPS_PER_EPOCH: """steps per epoch; iters per epoch; iterations per epoch; batches per epoch;
        num batches per epoch; num steps per epoch; updates per epoch; num update steps per epoch;
        iter per epoch""",
    f.LOG_INTERVAL: """log interval; logging steps; log every; log every n steps; log freq; log steps;
        print freq; log period; logging interval; log step; log frequency; logging step; print every;
        log iter""",
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

FACTS_BY_NAME: dict[str, Fact] = {
    " ".join(name.split()): fact for fact, names in _NAMES.items() for name in names.split(";")
}
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
