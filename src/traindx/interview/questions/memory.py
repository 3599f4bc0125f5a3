"""What memory does."""

from traindx.causes.memory_leak import memory_grows
from traindx.interview.complaints import OTHER, TRAINING_SLOW
from traindx.interview.questions.types import Choice, Question

MEMORY = Question(
    slug="memory",
    asks="What does the memory in use do over the run?",
    look="Look at it after 100 and after 1,000 steps.",
    complaints=(TRAINING_SLOW, OTHER),
    choices=(
        Choice("steady", "it keeps its size", unseen=(memory_grows,)),
        Choice("grows", "it grows steadily", seen=(memory_grows,), fault=True),
    ),
    known=0.9,
)
