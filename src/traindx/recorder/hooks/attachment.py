"""Attaching the recorder to torch, and taking it off again."""

import atexit
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import torch
from torch import nn
from torch.optim import Optimizer

from traindx.facts import EXPERIMENT
from traindx.recorder import probes
from traindx.recorder.guard import Cost
from traindx.recorder.hooks import waits
from traindx.recorder.hooks.backward import watch_backward
from traindx.recorder.hooks.calls import Modules, install_dropouts, install_losses
from traindx.recorder.hooks.comparisons import Comparisons
from traindx.recorder.hooks.metrics import install_plateaus
from traindx.recorder.hooks.monkeypatch import Patches
from traindx.recorder.hooks.optimizers import TORCH, Optimizers
from traindx.recorder.hooks.torch_backend import TorchBackend
from traindx.recorder.hooks.waits import TensorReads
from traindx.recorder.launch.command import TRIAL
from traindx.recorder.probes.types import Probe, probes_of
from traindx.recorder.recorder import Recorder
from traindx.recorder.recording_writer import process_facts
from traindx.recorder.schedule import StepLimit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from traindx.recorder.hooks.keras import Keras


_active: "list[Attachment]" = []
"""At most one: two recorders would see each other's work."""
_before_keras: "list[Callable[[], None]]" = []
"""What is done when Keras has been imported, before it is watched."""
_LAGGING = 1.0
"""Seconds in which the others of a group get what this process has sent them of the last gradients."""


class Attachment:
    """A recorder and everything that feeds it."""

    def __init__(
        self,
        folder: Path,
        budget: float,
        every: int | None,
        most_steps: int | None = None,
        began: float | None = None,
    ) -> None:
        """`began`: the processor time of a process that is recorded as a whole, before ours was imported."""
        started = time.process_time() if began is None else began
        self.folder, self._budget, self._every, self._most_steps = folder, budget, every, most_steps
        self._patches = Patches()
        self.keras: Keras | None = None
        cost = Cost(started if began is None else 0.0)
        self.recorder = self._new_recorder(cost)
        try:
            self._install()
        except BaseException:
            self._patches.undo()
            raise
        cost.of_start = time.process_time() - started

    def detach(self) -> None:
        """Put torch back as it was and close the recording."""
        self._patches.undo()
        self.recorder.close()
        _active.clear()

    def ends(self) -> None:
        """The program ends: say how, and close; asked again, nothing happens."""
        if attached() is not self:
            return
        error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None) or sys.exception()
        if isinstance(error, BaseException) and not isinstance(error, SystemExit):
            self.recorder.failed(error)
        self.detach()

    def forked(self) -> None:
        """A child process begins anew: what its parent recorded is not its own."""
        _left_behind.append(self.recorder)
        earlier = self._patches.undo()
        self.recorder = self._new_recorder()
        self._install()
        self._patches.succeed(earlier)

    def _new_recorder(self, cost: Cost | None = None) -> Recorder:
        failures: list[tuple[str, Exception]] = []
        probes = all_probes(lambda name, error: failures.append((name, error)))
        self._backend = TorchBackend()
        recorder = Recorder(
            self._backend,
            probes,
            self._place,
            budget=self._budget,
            every=self._every,
            limit=StepLimit(self._most_steps),
            enough=self._end_program,
            cost=cost,
        )
        for name, error in failures:
            recorder.steps_aside(name, error)
        return recorder

    def _install(self) -> None:
        modules = Modules(self.recorder)
        reads = TensorReads(self.recorder, lambda: modules.compiled)
        reads.install(self._patches)

        def changed() -> None:
            modules.follow()
            reads.follow()

        optimizers = Optimizers(self.recorder, changed)
        modules.install(self._patches)
        optimizers.install(self._patches)
        scaling = watch_backward(self.recorder, self._patches, optimizers)
        comparisons = Comparisons(self.recorder, lambda: modules.compiled)
        comparisons.install(self._patches)
        install_losses(self.recorder, self._patches, comparisons)
        install_dropouts(self.recorder, self._patches, self._backend)
        install_plateaus(self.recorder, self._patches)
        waits.install(self.recorder, self._patches, modules.follow)
        self._modules, self._scaling, self.keras = modules, scaling, None
        module = sys.modules.get("keras")
        # While it is being imported it has no parts yet: its backend brings torch, and that brings us.
        if module is not None and not getattr(module.__spec__, "_initializing", False):
            self.follow_keras()

    def follow_keras(self) -> None:
        """Watch Keras too, now that it has been imported, if it runs on torch."""
        for act in _before_keras:
            act()
        try:
            if self.keras is None and sys.modules["keras"].config.backend() == "torch":
                from traindx.recorder.hooks.keras import Keras

                self.keras = Keras(self.recorder, self._patches, self._modules, self._scaling)
        except Exception as error:  # another version of Keras may lack what is watched here
            self.recorder.steps_aside("keras", error)

    def _end_program(self) -> None:
        """The program has taken the steps it was to take: close the recording, and leave it there."""
        from traindx.recorder.hooks.stop_notice import end_program, tell_stopped

        _, ranks = _rank()
        self.detach()
        # Where it cannot be told, the program ends all the same.
        with suppress(OSError):
            tell_stopped(self.folder, self._most_steps)
        if ranks > 1:
            time.sleep(_LAGGING)
        end_program()

    def _place(self) -> tuple[Path, Mapping[str, object]]:
        rank, ranks = _rank()
        head = process_facts(time.time(), rank, ranks)
        return self.folder / f"rank-{rank}", {**head, "torch": torch.__version__, **_experiment()}


_left_behind: list[Recorder] = []
"""Recorders of a parent process: closing their files in a child would end the parent's recording."""


def attach(
    folder: Path,
    budget: float = 0.02,
    every: int | None = None,
    most_steps: int | None = None,
    began: float | None = None,
) -> Attachment:
    """Attach a recorder that writes below a folder; the one that is attached already, if there is one.

    After `most_steps` it ends the program.
    """
    if not _active:
        _active.append(Attachment(folder, budget, every, most_steps, began))
    return _active[0]


def attached() -> Attachment | None:
    """The recorder of this process, if there is one."""
    return _active[0] if _active else None


def before_keras(act: Callable[[], None]) -> Callable[[], None]:
    """Act once Keras has been imported, before it is watched; gives what takes that back."""
    _before_keras.append(act)
    return lambda: _before_keras.remove(act)


def keras_imported() -> None:
    """Watch Keras from here on; the launcher calls this when the program has imported it."""
    if _active:
        _active[0].follow_keras()


def attach_from_environment(began: float) -> None:
    """Attach as the launcher asks, until the process ends; `began`: processor time of the process before."""
    wish = json.loads(os.environ["TRAINDX_RECORD"])
    attachment = attach(Path(wish["folder"]), wish["budget"], wish["every"], wish["most_steps"], began)
    atexit.register(_process_ends, attachment)
    os.register_at_fork(after_in_child=attachment.forked)
    # Its children end without the rest of Python; they forget before they begin what their parent registered.
    processes = sys.modules.get("multiprocessing.util")
    if processes is not None:
        processes.register_after_fork(attachment, _follow_process)


def _follow_process(attachment: Attachment) -> None:
    """Close the recording when a process of `multiprocessing` ends; called as it begins."""
    sys.modules["multiprocessing.util"].Finalize(None, _process_ends, (attachment,), exitpriority=0)


def _process_ends(attachment: Attachment) -> None:
    """Close the recording, and leave word where it could not be written."""
    from traindx.recorder.hooks.stop_notice import leave_word

    attachment.ends()
    try:
        leave_word(attachment.folder, attachment.recorder)
    except Exception:  # nobody is left to tell
        return


def all_probes(failed: "Callable[[str, Exception], None]") -> list[Probe]:
    """One of every probe on the shelf; `failed` hears of those that cannot be made."""
    made: list[Probe] = []
    for module in iter_modules(probes.__path__):
        if module.ispkg or module.name == "types":
            continue
        try:
            classes = probes_of(import_module(f"{probes.__name__}.{module.name}"))
        except Exception as error:  # one bad module must not cost the probes of others
            failed(f"probes of {module.name}", error)
            continue
        for probe in classes:
            try:
                made.append(probe())
            except Exception as error:  # one bad probe must not cost the others
                failed(f"probe {probe.__name__}", error)
    return made


def _experiment() -> dict[str, str]:
    """What is different in a run that traindx started to try something; nothing in a user's own."""
    if TRIAL not in os.environ:
        return {}
    asked = json.loads(os.environ[TRIAL])
    parts = [*asked["changes"], *([f"seed {asked['seed']}"] if asked["seed"] else [])]
    return {EXPERIMENT.slug: ", ".join(parts) or "as it is"}


def _rank() -> tuple[int, int]:
    """The number of this process and how many train together."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return distributed.get_rank(), distributed.get_world_size()
    return int(os.environ.get("RANK", "0") or 0), int(os.environ.get("WORLD_SIZE", "1") or 1)


def tell(attachment: Attachment, model: object, optimizers: Iterable[object]) -> None:
    """Tell the recorder which module is the model, and which optimizers were made already."""
    from traindx.errors import TraindxError

    if not isinstance(model, nn.Module):
        raise TraindxError(f"the model is {_article(model)}; pass the torch.nn.Module that is trained")
    keras, recorder = attachment.keras, attachment.recorder
    recorder.names_model(model if keras is None else keras.told_as(model))
    for optimizer in optimizers:
        # Accelerate and Lightning wrap the optimizer that takes the steps.
        inner = getattr(optimizer, "optimizer", optimizer)
        if isinstance(inner, Optimizer):
            recorder.optimizer_made(inner, TORCH)
        elif keras is None or not keras.tell_optimizer(inner):
            raise TraindxError(
                f"expected an optimizer, got {_article(optimizer)}; pass one of torch.optim or Keras"
            )


def _article(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"
