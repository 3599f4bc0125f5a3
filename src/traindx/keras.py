"""Record a Keras run: `model.fit(..., callbacks=[traindx.keras.Callback()])`.

On torch everything is recorded; on other backends, and with `jit_compile=True`, what Keras itself knows at
the end of each epoch.
"""

import json
import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import final

import keras

from traindx.recorder.attach import RUNS, Settings, Watch, begin, stem, told
from traindx.recorder.launch.command import new_run_folder

TYPE_CHECKING = False  # as typing has it
if TYPE_CHECKING:
    from traindx.recorder.hooks.keras_epochs import KerasEpochs

_LOG = logging.getLogger("traindx")
_WISH = "TRAINDX_RECORD"
"""What `traindx run` tells the program about its recording."""


@final
class Callback(keras.callbacks.Callback):
    """Records while `fit` runs."""

    def __init__(
        self, name: str | None = None, out: str | Path = RUNS, budget: float = 0.02, every: int | None = None
    ) -> None:
        """As for `traindx.watch`; `budget` and `every` apply to the torch backend only."""
        super().__init__()
        self.watch: Watch | None = None
        """The recording, once `fit` has started on torch."""
        self._settings = Settings(name, out, budget, every)
        self._epochs: KerasEpochs | None = None
        self._fitting = False

    def set_model(self, model: "keras.Model") -> None:
        """Begin on torch: the loops of Keras are watched before they begin."""
        super().set_model(model)
        # What is compiled as a whole can only be seen from outside, as on other backends.
        if not self._fitting and keras.config.backend() == "torch" and not model.jit_compile:
            from traindx.recorder.hooks.attachment import keras_imported

            self.watch = begin(self._settings)
            keras_imported()
            self.watch.tell(model, *([model.optimizer] if model.optimizer is not None else []))

    def on_train_begin(self, logs: Mapping[str, object] | None = None) -> None:
        """Begin on other backends."""
        self._fitting = True
        if self.watch is None:
            from traindx.recorder.hooks.keras_epochs import KerasEpochs

            epochs = self._epochs = KerasEpochs(self._folder())
            self._attempt(lambda: epochs.begin(self.model, self.params))

    def on_epoch_end(self, epoch: int, logs: Mapping[str, object] | None = None) -> None:
        """Write the epoch."""
        epochs = self._epochs
        if epochs is not None:
            self._attempt(lambda: epochs.epoch_ends(epoch, logs or {}))

    def on_train_end(self, logs: Mapping[str, object] | None = None) -> None:
        """Close the recording and log its path."""
        self._fitting = False
        if self.watch is not None:
            # At the level that is shown by default.
            self.watch.finish(_LOG.warning)
        epochs, self._epochs = self._epochs, None
        if epochs is not None:
            self._attempt(epochs.close)
            if _WISH not in os.environ:
                _LOG.warning(told(epochs.folder))

    def on_test_begin(self, logs: Mapping[str, object] | None = None) -> None:
        """Ignore evaluate and predict."""
        if not self._fitting and self.watch is not None:
            self.watch.close()

    def _folder(self) -> Path:
        """The folder of the run that `traindx run` has begun, or a new one."""
        wish = os.environ.get(_WISH)
        if wish is not None:
            return Path(json.loads(wish)["folder"])
        return new_run_folder(Path(self._settings.out).absolute(), stem(), self._settings.name)

    def _attempt(self, act: Callable[[], None]) -> None:
        """Do something that must not stop the training run if it fails."""
        try:
            act()
        except Exception as error:  # a model of the program's own may lack anything
            self._epochs = None
            _LOG.warning(f"traindx stopped recording: {type(error).__name__}: {error}")
