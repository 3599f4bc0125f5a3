import logging
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import traindx
from traindx.quantities import (
    GRADIENT_NORM,
    LEARNING_RATE,
    TRAIN_ACCURACY,
    TRAIN_LOSS,
    VAL_ACCURACY,
    VAL_LOSS,
)
from traindx.run import EventKind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from torch import Tensor, nn

torch = pytest.importorskip("torch")
pytest.importorskip("lightning")

pytestmark = pytest.mark.filterwarnings("ignore")

STEPS, EPOCHS = 10, 3


@pytest.fixture(autouse=True, scope="module")
def _quiet() -> Iterator[None]:
    torch.set_num_threads(1)
    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    yield
    logging.getLogger("lightning.pytorch").setLevel(logging.INFO)


class Fit:
    """One `fit`, and what Lightning itself reported of it."""

    def __init__(self, library: ModuleType, callbacks: list[object], fail_at: int | None = None) -> None:
        self.losses: list[float] = []
        self.validated: list[tuple[float, float]] = []
        self._lightning, self._fail_at = library, fail_at
        library.seed_everything(7, verbose=False)
        inputs = torch.randn(400, 10)
        targets = (inputs @ torch.randn(10, 3)).argmax(1)
        data = torch.utils.data.TensorDataset(inputs, targets)
        parts = [torch.utils.data.Subset(data, range(*ends)) for ends in ((0, 320), (320, 400))]
        self.module = self._module()
        trainer = library.Trainer(
            max_epochs=EPOCHS,
            accelerator="cpu",
            gradient_clip_val=1.0,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            callbacks=callbacks,
        )
        train = torch.utils.data.DataLoader(parts[0], batch_size=32, shuffle=True)
        trainer.fit(self.module, train, torch.utils.data.DataLoader(parts[1], batch_size=30))

    def weights(self) -> list[object]:
        return [value.tolist() for value in self.module.parameters()]

    def _module(self) -> "nn.Module":
        fit, nn = self, torch.nn

        class Classifier(self._lightning.LightningModule):  # type: ignore[name-defined]  # one of two
            def setup(self, stage: str) -> None:
                self.net = nn.Sequential(nn.Linear(10, 24), nn.ReLU(), nn.Dropout(0.1), nn.Linear(24, 3))

            def training_step(self, batch: "tuple[Tensor, Tensor]", index: int) -> object:
                inputs, targets = batch
                scores = self.net(inputs)
                loss = nn.functional.cross_entropy(scores, targets)
                self.log("train_loss", loss)
                self.log(
                    "train_acc", (scores.argmax(1) == targets).float().mean(), on_epoch=True, on_step=False
                )
                fit.losses.append(loss.item())
                if len(fit.losses) == fit._fail_at:
                    raise RuntimeError("no more")
                return loss

            def validation_step(self, batch: "tuple[Tensor, Tensor]", index: int) -> None:
                inputs, targets = batch
                scores = self.net(inputs)
                self.log("val_loss", nn.functional.cross_entropy(scores, targets))
                self.log("acc", (scores.argmax(1) == targets).float().mean())

            def on_validation_epoch_end(self) -> None:
                metrics = self.trainer.callback_metrics
                if not self.trainer.sanity_checking:
                    fit.validated.append((metrics["val_loss"].item(), metrics["acc"].item()))

            def configure_optimizers(self) -> object:
                optimizer = torch.optim.Adam(self.parameters(), lr=5e-3)
                return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)]

        return Classifier()


@pytest.fixture(params=["lightning.pytorch", "pytorch_lightning"], name="library")
def _library(request: pytest.FixtureRequest) -> ModuleType:
    library: ModuleType = pytest.importorskip(request.param)
    return library


def test_it_records_what_lightning_reports_and_changes_nothing(library: ModuleType, tmp_path: Path) -> None:
    from traindx.lightning import Callback
    from traindx.recorder.hooks.attachment import attached

    plain = Fit(library, [])
    state = torch.get_rng_state()
    callback = Callback(out=tmp_path, every=2, budget=100.0)
    recorded = Fit(library, [callback])

    assert recorded.weights() == plain.weights()
    assert recorded.losses == plain.losses
    assert torch.equal(torch.get_rng_state(), state)
    assert attached() is None
    assert torch.nn.Module.__call__ is torch.nn.Module._wrapped_call_impl

    (run,) = traindx.load(tmp_path)
    assert run[TRAIN_LOSS].values.tolist() == recorded.losses
    losses, shares = zip(*recorded.validated, strict=True)
    ends = [STEPS * (epoch + 1) for epoch in range(EPOCHS)]
    in_epochs = run[VAL_LOSS].steps >= STEPS
    assert run[VAL_LOSS].steps[in_epochs].tolist() == ends
    assert run[VAL_LOSS].values[in_epochs].tolist() == list(losses)
    assert run[VAL_ACCURACY].values[run[VAL_ACCURACY].steps >= STEPS].tolist() == list(shares)
    assert [len(series) for series in run.all(TRAIN_ACCURACY) if series.part == "reported"] == [EPOCHS]
    assert run[LEARNING_RATE].values.tolist() == [5e-3] * 10 + [2.5e-3] * 10 + [1.25e-3] * 10
    assert [layer.name for layer in run.model] == ["net.0.weight", "net.0.bias", "net.3.weight", "net.3.bias"]
    assert {"net.0.weight", "net.3.bias"} <= {series.layer for series in run.all(GRADIENT_NORM)}
    facts = traindx.facts
    assert run.facts[facts.FRAMEWORK] == "lightning"
    assert run.facts[facts.PLANNED_EPOCHS] == EPOCHS
    assert run.facts[facts.GRADIENT_CLIP] == 1.0
    assert not [event for event in run.events if event.kind is EventKind.STEPPED_ASIDE]


def test_it_says_once_where_the_recording_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import lightning.pytorch as library

    from traindx import lightning as ours

    said: list[str] = []
    monkeypatch.setattr(ours, "rank_zero_info", said.append)
    callback = ours.Callback(out=tmp_path, name="mine")
    Fit(library, [callback])

    (line,) = said
    assert "mine; next: traindx diagnose" in line
    assert callback.watch is not None
    assert callback.watch.diagnose().run == "mine"


def test_an_exception_is_recorded_and_reaches_the_program(tmp_path: Path) -> None:
    import lightning.pytorch as library

    from traindx.lightning import Callback
    from traindx.recorder.hooks.attachment import attached

    with pytest.raises(RuntimeError, match="no more"):
        Fit(library, [Callback(out=tmp_path)], fail_at=15)

    assert attached() is None
    (run,) = traindx.load(tmp_path)
    assert len(run[TRAIN_LOSS]) == 14
    assert (EventKind.EXCEPTION, "RuntimeError: no more") in [
        (event.kind, event.says) for event in run.events
    ]


def test_inside_a_recording_it_joins(tmp_path: Path) -> None:
    import lightning.pytorch as library

    from traindx.lightning import Callback
    from traindx.recorder.attach import Settings, begin

    with begin(Settings(out=tmp_path, name="outer")):
        Fit(library, [Callback(out=tmp_path / "inner")])
        Fit(library, [Callback(out=tmp_path / "inner")])

    assert not (tmp_path / "inner").exists()
    assert [len(run[TRAIN_LOSS]) for run in traindx.load(tmp_path / "outer")] == [30, 30]
