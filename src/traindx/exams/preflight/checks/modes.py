"""Whether the model means the same in train mode and in eval mode."""

import math

from traindx.causes.dropout_misuse import dropout_in_validation
from traindx.exams.preflight.check import asked
from traindx.exams.preflight.types import Check, Modes, Part, Rehearsal, Seen
from traindx.finding import Mark
from traindx.format import count
from traindx.signs.loop import trained_in_eval_mode, validated_in_train_mode

_RANDOM = 0.01
"""Of the spread of outputs: two calls that differ by less are alike, but for rounding in halves."""
_APART = 0.5
"""Of the spread of outputs. A fresh batch normalisation in eval mode is off by about as much as outputs
differ; statistics of a batch of four against their unbiased estimates make 0.13."""


def ask(rehearsal: Rehearsal) -> list[Seen]:
    """Habits of the program, and the two modes held against each other on one batch."""
    found, any_told = asked(
        rehearsal.run, (trained_in_eval_mode, validated_in_train_mode, dropout_in_validation)
    )
    modes = rehearsal.modes
    compared = Seen(Mark.UNSEEN, modes) if isinstance(modes, str) else _compared(modes)
    if found:
        return found
    if compared.mark is Mark.UNSEEN and any_told:
        return [Seen(Mark.PASS, f"the program is in the right mode where it was seen; {compared.says}")]
    return [compared]


def _compared(modes: Modes) -> Seen:
    if modes.dropped_in_eval:
        says = f"{count(modes.dropped_in_eval // 2 or 1, 'dropout')} active in eval mode"
        return Seen(Mark.FAIL, says, causes=("dropout-misuse", "train-eval-mode-bug"))
    if not math.isfinite(modes.differs):
        return Seen(Mark.UNSEEN, "the outputs of the model are no numbers any more")
    if modes.random_in_eval > _RANDOM:
        says = "the model draws random numbers in eval mode, so that the modes cannot be compared"
        return Seen(Mark.UNSEEN, says)
    if modes.random_in_train > _APART / 2:
        return Seen(Mark.UNSEEN, "the model draws random numbers in train mode, dropout aside")
    told = (
        f"dropout off, outputs of one batch differ by {modes.differs:.2g} of their spread between the modes"
    )
    if modes.differs <= _APART:
        return Seen(Mark.PASS, told)
    why = " (running averages of its normalisation do not fit the batches)" if modes.norms else ""
    return Seen(Mark.WARN, f"{told}, limit {_APART}{why}", causes=("train-eval-mode-bug",))


CHECK = Check("modes", "Train mode and eval mode agree, and each is used in its place", Part.MODEL, 50, ask)
