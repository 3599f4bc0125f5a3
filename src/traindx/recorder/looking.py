"""Calling the probes: which are asked, what happens when one fails, and what the look costs."""

from collections.abc import Callable, Sequence

from traindx.recorder.looks import Notebook, TrainingLook
from traindx.recorder.outputs import Waited
from traindx.recorder.probes.types import (
    Batch,
    Dropout,
    LiveParameter,
    Look,
    LossCall,
    Probe,
    Purpose,
    Update,
)
from traindx.run import Event, EventKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor, nn

_MOMENTS = (
    "batch_enters",
    "module_returns",
    "dropout_is_applied",
    "loss_is_computed",
    "backward_begins",
    "update_begins",
    "update_ends",
)


class Looking:
    """The look at the step in the making, if there is one, and the probes that answer."""

    def __init__(self, probes: Sequence[Probe], process: Notebook) -> None:
        self.look: TrainingLook | None = TrainingLook(1)
        self.active = True
        """Whether modules are watched: during a look, and for the first batches of a validation pass."""
        self.follows = False
        """Whether this look only goes with the one before."""
        self.thorough = True
        """Whether what seldom changes is told as well."""
        self._process = process
        self._asked: dict[str, list[Probe]] = {
            moment: [p for p in probes if getattr(type(p), moment) is not getattr(Probe, moment)]
            for moment in _MOMENTS
        }
        self._asked["modules_returned"] = [
            probe
            for probe in probes
            if probe in self._asked["module_returns"]
            or type(probe).modules_returned is not Probe.modules_returned
        ]

    def begin(self, step: int, *, follows: bool = False, thorough: bool = True) -> None:
        """Look at a step."""
        self.look = TrainingLook(step)
        # What follows compares gradients; its forward pass is of no interest.
        self.active = not follows
        self.follows = follows
        self.thorough = thorough and not follows

    def end(self) -> None:
        """Look no longer."""
        self.look = None
        self.active = False

    def batch_enters(self, look: Look, batch: Batch) -> None:
        """Tell of a batch."""
        self._tell("batch_enters", look, lambda probe: probe.batch_enters(look, batch))

    def module_returns(
        self, look: Look, name: str, module: "nn.Module", output: "Tensor", purpose: Purpose
    ) -> None:
        """Tell of a module's output."""
        self._tell(
            "module_returns", look, lambda probe: probe.module_returns(look, name, module, output, purpose)
        )

    def modules_returned(self, look: Look, waited: Waited, purpose: Purpose) -> None:
        """Tell of outputs that could wait."""
        self._tell("modules_returned", look, lambda probe: probe.modules_returned(look, *waited, purpose))

    def dropout_is_applied(self, look: Look, dropout: Dropout) -> None:
        """Tell of a dropout."""
        self._tell("dropout_is_applied", look, lambda probe: probe.dropout_is_applied(look, dropout))

    def loss_is_computed(self, look: Look, call: LossCall, *, by_all: bool = True) -> None:
        """Tell of a loss all probes, or only those that need every loss of a pass."""
        self._tell(
            "loss_is_computed",
            look,
            lambda probe: probe.loss_is_computed(look, call) if by_all or probe.whole_passes else None,
        )

    def backward_begins(self, look: Look, loss: "Tensor", parameters: Sequence[LiveParameter]) -> None:
        """Tell that gradients are about to be computed."""
        self._tell("backward_begins", look, lambda probe: probe.backward_begins(look, loss, parameters))

    def update_begins(self, look: Look, update: Update) -> None:
        """Tell that parameters are about to change."""
        self._tell("update_begins", look, lambda probe: probe.update_begins(look, update))

    def update_ends(self, look: Look, update: Update) -> None:
        """Tell that parameters have changed."""
        self._tell("update_ends", look, lambda probe: probe.update_ends(look, update))

    def _tell(self, moment: str, look: Look, ask: Callable[[Probe], None]) -> None:
        following = self.follows and look is self.look
        for probe in self._asked[moment]:
            if following and not probe.follows:
                continue
            try:
                ask(probe)
            except Exception as error:  # a probe of another package may fail in any way
                self._steps_aside(probe, error, look.step)

    def _steps_aside(self, failed: Probe, error: Exception, step: int) -> None:
        self._asked = {m: [p for p in probes if p is not failed] for m, probes in self._asked.items()}
        name = type(failed).__name__
        says = f"probe {name} failed ({type(error).__name__}: {error}); it records nothing from here on"
        self._process.happened(Event(EventKind.STEPPED_ASIDE, says, step))
