"""Gradients on one batch: what reaches each parameter, and what is wrong with it.

exam = traindx.exams.gradients(model, (inputs, targets), nn.functional.cross_entropy)
if exam.errors:
    print(*exam.errors)
"""

from torch import nn
from torch.utils.data import DataLoader

from traindx.exams.as_it_was import as_it_was
from traindx.exams.gradient_questions import judged
from traindx.exams.gradient_rows import rows_from
from traindx.exams.kinds import unwrapped
from traindx.exams.modes import in_training_mode
from traindx.exams.objective import Loss
from traindx.exams.presenting import presented
from traindx.exams.reaching import look_again
from traindx.exams.sitting import Sitting
from traindx.exams.starting import starting_at_zero, step_apart
from traindx.exams.types import GradientExam, fitted_decay
from traindx.recorder.probes.activations import Activations
from traindx.recorder.probes.equal_units import EqualUnits
from traindx.recorder.probes.functional_activations import FunctionalActivations
from traindx.recorder.probes.gradients import Gradients
from traindx.recorder.probes.inputs import Inputs
from traindx.recorder.probes.loss_function import LossFunctionFacts
from traindx.recorder.probes.weights import Weights
from traindx.run import Run


def gradients(model: nn.Module, batch: object, loss: Loss | str | None = None) -> GradientExam:
    """Examine the gradients of one batch; the model, its gradients and chance stay as they were.

    `batch` is a tensor, (inputs, targets), a dictionary or a data loader, of which the first batch is taken.
    `loss` is a function of output and targets, or its name; without one it is guessed, and that is said.
    """
    model = unwrapped(model)
    equal_units = EqualUnits()
    probes = (
        Inputs(),
        Activations(),
        FunctionalActivations(),
        LossFunctionFacts(),
        Gradients(),
        Weights(),
        equal_units,
    )
    with as_it_was(model):
        sitting = Sitting(model, probes)
        sitting.notes += in_training_mode(model)
        first = next(iter(batch)) if isinstance(batch, DataLoader) else batch
        given = presented(first, model).to(next(model.parameters()).device)
        found = sitting.loss(sitting.forward(given), given, loss)
        sitting.backward(found.value)
        step_apart(sitting, equal_units)
        look_again(sitting, given, loss)
        run = sitting.run("gradients", with_gradients=True)
        values = dict(zip(sitting.parameters.names, sitting.parameters.values, strict=True))
        rows = rows_from(run, values, sitting.normalised, sitting.scoring)
        value = float(found.value.detach())
        zeros = starting_at_zero(sitting)
    verdict = judged(run, rows, zeros)
    return GradientExam(
        model=str(sitting.kinds.get("", type(model).__name__)),
        run=run,
        rows=rows,
        problems=verdict.problems,
        decay=fitted_decay(rows),
        loss=value,
        loss_function=found.function,
        notes=(*sitting.notes, *verdict.notes),
        cleared=verdict.cleared,
    )


def gradients_recorded(run: Run) -> GradientExam:
    """The same of a recorded training, as it was at the last look."""
    rows = rows_from(run)
    verdict = judged(run, rows, ())
    return GradientExam(
        run.name,
        run,
        rows,
        verdict.problems,
        fitted_decay(rows),
        notes=verdict.notes,
        cleared=verdict.cleared,
    )
