"""The words that stand beside a head, and what they do to the meaning of a name.

train_loss_epoch     `epoch` tells the grain
global_avg_loss      `global` and `avg` tell nothing
value_loss_coef      `coef` makes it a setting of the loss
lr-AdamW             `adamw` tells nothing beside a learning rate
"""

from traindx import quantities as q
from traindx.run import Quantity


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
