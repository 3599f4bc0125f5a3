"""Whether the validation data is other rows of the same kind."""

from collections.abc import Sequence

from traindx.causes.train_val_leakage import validation_rows_seen
from traindx.curves.series import looked
from traindx.exams.preflight.check import by_signs, typical
from traindx.exams.preflight.types import Check, Part, Rehearsal, Seen
from traindx.finding import Mark
from traindx.format import count
from traindx.quantities import SEEN_SHARE, VAL_LOSS
from traindx.signs.data import validation_inputs_differ

_AT_FIRST = 0.1
"""Of the largest share of known rows: a leak shows in the first validation, after a pass over most rows."""


def _passes(rehearsal: Rehearsal) -> str:
    share = typical(rehearsal.run, SEEN_SHARE, "validation")
    rows = "" if share is None else f"{share:.0%} of its rows were among the training rows that were kept; "
    return f"{rows}mean and spread are those of the training data"


def _unseen(rehearsal: Rehearsal) -> str:
    if VAL_LOSS in rehearsal.run:
        return "the batches of validation could not be compared with those of training"
    return f"no validation came within the first {count(rehearsal.steps, 'step')}; --steps looks at more"


_judge = by_signs(validation_rows_seen, validation_inputs_differ, passes=_passes, unseen=_unseen)


def ask(rehearsal: Rehearsal) -> Sequence[Seen]:
    """What signs say, unless the program trains several times over: folds share their rows by design."""
    shares = looked(rehearsal.run, SEEN_SHARE, "validation")
    found = _judge(rehearsal)
    if shares is None or float(shares.values[0]) > _AT_FIRST * float(shares.values.max()):
        return found
    others = [one for one in found if one.sign != validation_rows_seen.slug]
    says = "the first validation holds no rows of training and later ones do, as in folds one after the other"
    return others or [Seen(Mark.UNSEEN, says)]


CHECK = Check(
    "validation-data", "Validation rows are of the same kind, and not those of training", Part.DATA, 60, ask
)
