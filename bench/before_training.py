"""Which causes are visible before a long run, by their nature; written down before anything was measured.

A cause is visible where the fault stands in the data, the model, the loss, the loop or the settings, or
shows itself within the first hundred steps. It is not where these steps, and the same batch again and again,
would look alike with and without it.
"""

NOT_VISIBLE = {
    "overfitting": "it begins when training has learned what there is",
    "double-descent": "it is a turn late in the run",
    "underfitting": "it is the end of a run that is too low, by whatever cause",
    "capacity-too-small": "a small model memorizes one batch as a large one does",
    "too-few-epochs": "how long is long enough shows only later",
    "lr-decay-needed": "the first steps are the same with and without the decay",
    "lr-decayed-too-early": "in general the decay comes after the first steps",
    "label-noise": "a batch with wrong labels is memorized like one with right ones",
    "labels-misaligned": "a batch with strange labels is memorized like one with its own",
    "output-logit-drift": "it is a drift over the whole run",
    "replicas-disagree": "it takes several ranks and their weights over a while",
    "straggler": "it takes several ranks and their times over a while",
}
"""Cause, and why it cannot be seen so early. All others count as visible."""


def is_visible(cause: str) -> bool:
    """Whether a rehearsal of a cause can be asked for it."""
    return cause not in NOT_VISIBLE
