"""What a step waits for."""

from traindx.causes.data_loading_bottleneck import data_wait_dominates
from traindx.causes.host_device_sync import values_read_singly
from traindx.interview.complaints import TRAINING_SLOW
from traindx.interview.questions.types import Choice, Question

STEP_TIME = Question(
    slug="waiting",
    asks="Where does the time of a step go?",
    look="Watch the use of the GPU and of the cores, or time next(iter(loader)) against the rest of a step.",
    complaints=(TRAINING_SLOW,),
    choices=(
        Choice(
            "loader",
            "the device waits for data: its use is low, the cores are busy or the disk is",
            seen=(data_wait_dominates,),
        ),
        Choice(
            "device", "into the step itself, and the data is there in time", unseen=(data_wait_dominates,)
        ),
        Choice(
            "gaps",
            "the device has short gaps all the time, though the data is there",
            seen=(values_read_singly,),
            unseen=(data_wait_dominates,),
        ),
    ),
    first=(TRAINING_SLOW,),
    known=0.75,
)
