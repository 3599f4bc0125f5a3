"""Whether each step reads values out of tensors."""

from traindx.causes.host_device_sync import values_read_singly
from traindx.interview.complaints import TRAINING_SLOW
from traindx.interview.questions.types import Choice, Question

HOST_READS = Question(
    slug="reads",
    asks="How many values does a step take out of tensors?",
    look="Count item(), tolist(), cpu(), numpy() and print(loss) inside the loop.",
    complaints=(TRAINING_SLOW,),
    choices=(
        Choice("few", "one or two, or only every so many steps", unseen=(values_read_singly,)),
        Choice(
            "many",
            "many in every step, such as one for every sample or layer",
            seen=(values_read_singly,),
            fault=True,
        ),
    ),
    known=0.9,
)
