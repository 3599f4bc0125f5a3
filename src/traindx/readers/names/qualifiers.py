"""The words that stand beside a head, and what people call the positions in a run and the parts of the data.

step, global_step, trainer/global_step, iter, num_updates      steps
epoch, ep, current_epoch                                       epochs
total_timesteps, consumed samples, tokens_seen, kimg           samples

What words beside a head do to the meaning of a name:

train_loss_epoch     `epoch` tells the grain
global_avg_loss      `global` and `avg` tell nothing
value_loss_coef      `coef` makes it a setting of the loss
lr-AdamW             `adamw` tells nothing beside a learning rate
"""

from traindx import quantities as q
from traindx.run import Axis, Quantity, Split

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
current epoch; cur epoch; train epoch; training epoch; global epoch; epoch float; epoch frac; epoch nr
"""

_SAMPLE_NAMES = """
sample; samples; frame; frames; token; tokens; images; imgs; examples; instances; kimg; nimg; kimgs
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


def _table(*names_of: tuple[Axis, str]) -> dict[str, Axis]:
    return {
        name.strip(): axis
        for axis, names in names_of
        for name in names.replace("\n", ";").split(";")
        if name.strip()
    }


POSITIONS = _table((Axis.STEP, _STEP_NAMES), (Axis.EPOCH, _EPOCH_NAMES), (Axis.SAMPLE, _SAMPLE_NAMES))
"""What each name of a position counts, by its words."""

POSITION_SIGNS = {"#": Axis.STEP, "E": Axis.EPOCH}
"""The headings of spaCy's table, which are no words."""

POSITION_PLACES = frozenset(
    "trainer train training time timers counters counter info progress global general charts optim "
    "throughput log logs stats metrics meta misc state rollout performance lightning custom".split()
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

SPLIT_VERBS = frozenset("fit evaluate evaluating validate validating testing".split())
"""Words that say what is being done: a number after them is hardly a result."""

SOFT_SPLIT_WORDS = frozenset("eval evals evaluation evaluate evaluating".split())
"""Words for an activity rather than a part of the data: an evaluation may be of the test set."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


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
    """std min max median var sum cumulative discounted undiscounted normalized normalised raw extrinsic
    intrinsic policy actor agent team expert smoothed moving last 100 100ep"""
)
"""The words that may qualify the return of an episode."""

NEUTRAL_BESIDE: dict[Quantity, frozenset[str]] = {
    q.LEARNING_RATE: _OPTIMIZERS,
    q.MOMENTUM: _OPTIMIZERS,
    q.WEIGHT_DECAY: _OPTIMIZERS,
    q.GRADIENT_NORM: _OPTIMIZERS | _words("l2 2 2.0 model norm norms"),
    q.WEIGHT_NORM: _words("l2 model"),
    q.REWARD: _EPISODE,
    q.EPISODE_LENGTH: _EPISODE,
    q.THROUGHPUT: _words("time speed perf throughput"),
}
"""Words that tell nothing more beside each quantity."""

MEASURED_IN_EVALUATION = frozenset({q.REWARD, q.EPISODE_LENGTH, q.STEP_TIME, q.DATA_TIME, q.THROUGHPUT})
"""Quantities of the run that an evaluation has of its own; the others are the same wherever they stand."""

DETECTION_PLACES = _words("metrics coco bbox segm keypoints lvis voc pascal")
DETECTION_METRICS = ("map", "ap", "precision", "recall", "top")
