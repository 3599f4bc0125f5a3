"""Whether the validation data is other rows of the same kind."""

from traindx.checking import by_signs, typical
from traindx.checklist import Check, Part, Rehearsal
from traindx.quantities import SEEN_SHARE, VAL_LOSS
from traindx.signs.validation_inputs_differ import validation_inputs_differ
from traindx.signs.validation_rows_seen import validation_rows_seen
from traindx.wording import count


def _passes(rehearsal: Rehearsal) -> str:
    share = typical(rehearsal.run, SEEN_SHARE, "validation")
    rows = "" if share is None else f"{share:.0%} of its rows were among the training rows that were kept; "
    return f"{rows}mean and spread are those of the training data"


def _unseen(rehearsal: Rehearsal) -> str:
    if VAL_LOSS in rehearsal.run:
        return "the batches of validation could not be compared with those of training"
    return f"no validation came within the first {count(rehearsal.steps, 'step')}; --steps looks at more"


CHECK = Check(
    "validation-data",
    "Validation rows are of the same kind, and not those of training",
    Part.DATA,
    60,
    by_signs(validation_rows_seen, validation_inputs_differ, passes=_passes, unseen=_unseen),
)
