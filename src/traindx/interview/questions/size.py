"""How large the model is beside its data."""

from traindx.facts import PARAMETERS, TRAINING_SAMPLES
from traindx.interview.complaints import OVERFITTING
from traindx.interview.questions.types import Field, Question
from traindx.interview.stating import by_signs
from traindx.signs.data import data_tiny, model_dwarfs_data

MODEL_SIZE = Question(
    slug="size",
    asks="How many parameters has the model, and how many samples are there to train on?",
    look="Parameters, then samples, such as 11M 50000; sum(p.numel() for p in model.parameters()).",
    complaints=(OVERFITTING,),
    fields=(
        Field(PARAMETERS, ("parameters", "params")),
        Field(TRAINING_SAMPLES, ("samples", "training_samples")),
    ),
    judge=by_signs(model_dwarfs_data, data_tiny),
    examples=(("1M 50000", 1.0), ("11M 800", 0.5), ("10k 30", 0.1)),
    known=0.8,
)
