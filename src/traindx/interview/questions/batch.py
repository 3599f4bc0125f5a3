"""How large a batch is, and of how much data."""

from collections.abc import Mapping

from traindx.causes.batch_too_small import batch_tiny
from traindx.curves.inside import batches_per_epoch, graded
from traindx.curves.stated import fact_evidence, stated_number
from traindx.facts import BATCH_SIZE, TRAINING_SAMPLES
from traindx.finding import Answer, CannotTell, Finding, Sign
from traindx.interview.complaints import LOSS_SLOW, LOSS_UNSTABLE, TRAINING_SLOW
from traindx.interview.questions.types import Field, Question
from traindx.run import Run
from traindx.signs.data import data_tiny
from traindx.signs.loop import few_updates_per_epoch

_LIMITS = {one.name: one.value for one in few_updates_per_epoch.limits}


def _judge(run: Run) -> Mapping[Sign, Answer]:
    found = {sign: sign(run) for sign in (batch_tiny, data_tiny)}
    told = {sign: answer for sign, answer in found.items() if not isinstance(answer, CannotTell)}
    return told | _updates(run)


def _updates(run: Run) -> dict[Sign, Answer]:
    """What the sign asks by the limits it has, without the length of the run."""
    size, each = stated_number(run, BATCH_SIZE), batches_per_epoch(run)
    if size is None or each is None:
        return {}
    if each > _LIMITS["updates"] or size < _LIMITS["batch"]:
        return {few_updates_per_epoch: None}
    says = f"a batch of {size:,.0f} makes {each:.0f} updates an epoch"
    strength = graded(_LIMITS["updates"] / max(each, 1.0), 1.0, _LIMITS["updates"] / 3)
    return {few_updates_per_epoch: Finding(strength, says, (fact_evidence(run, BATCH_SIZE),))}


BATCHES = Question(
    slug="batch",
    asks="How large is a batch, and how many samples are there to train on?",
    look="Batch size, then samples, such as 64 of 50000.",
    complaints=(LOSS_SLOW, LOSS_UNSTABLE, TRAINING_SLOW),
    fields=(
        Field(BATCH_SIZE, ("batch_size", "batch-size", "batch")),
        Field(TRAINING_SAMPLES, ("samples", "training_samples")),
    ),
    judge=_judge,
    examples=(("64 of 50000", 1.0), ("2 of 5000", 0.15), ("8192 of 20000", 0.3)),
    known=0.95,
)
