import logging
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

import traindx
from traindx.quantities import GRADIENT_NORM, LEARNING_RATE, TRAIN_LOSS, VAL_ACCURACY, VAL_LOSS
from traindx.run import EventKind

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")
transformers = pytest.importorskip("transformers")

pytestmark = pytest.mark.filterwarnings("ignore")

STEPS = 12


@pytest.fixture(autouse=True, scope="module")
def _quiet() -> Iterator[None]:
    torch.set_num_threads(1)
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    yield
    transformers.utils.logging.set_verbosity_warning()
    transformers.utils.logging.enable_progress_bar()


class Sentences:
    """Does token 7 occur in the sentence?"""

    def __init__(self, count: int, seed: int) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.tokens = torch.randint(5, 30, (count, 12), generator=generator)
        self.labels = (self.tokens == 7).any(dim=1).long()

    def __len__(self) -> int:
        return len(self.tokens)

    def __getitem__(self, place: int) -> Mapping[str, object]:
        return {"input_ids": self.tokens[place], "labels": self.labels[place]}


class Train:
    """One `train`, and what the trainer itself reported of it."""

    def __init__(self, folder: Path, callbacks: list[object], accumulation: int = 1) -> None:
        transformers.set_seed(42)
        config = transformers.BertConfig(
            vocab_size=30,
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=16,
        )
        self.model = transformers.BertForSequenceClassification(config)
        arguments = transformers.TrainingArguments(
            output_dir=str(folder / "checkpoints"),
            max_steps=STEPS,
            per_device_train_batch_size=8,
            gradient_accumulation_steps=accumulation,
            learning_rate=1e-3,
            warmup_steps=3,
            logging_steps=1,
            logging_nan_inf_filter=False,
            eval_strategy="steps",
            eval_steps=4,
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
        )
        trainer = transformers.Trainer(
            self.model,
            arguments,
            train_dataset=Sentences(160, 1),
            eval_dataset=Sentences(36, 2),
            compute_metrics=lambda evaluation: {
                "accuracy": (evaluation.predictions.argmax(1) == evaluation.label_ids).mean()
            },
            callbacks=callbacks,
        )
        trainer.train()
        self.log = trainer.state.log_history

    def told(self, name: str) -> list[float]:
        return [record[name] for record in self.log if name in record]

    def weights(self) -> list[object]:
        return [value.tolist() for value in self.model.parameters()]


@pytest.mark.parametrize("accumulation", [1, 2])
def test_it_records_what_the_trainer_reports_and_changes_nothing(accumulation: int, tmp_path: Path) -> None:
    from traindx.recorder.hooks.attachment import attached
    from traindx.transformers import Callback

    plain = Train(tmp_path, [], accumulation)
    state = torch.get_rng_state()
    recorded = Train(tmp_path, [Callback(out=tmp_path / "runs", every=2, budget=100.0)], accumulation)

    assert recorded.weights() == plain.weights()
    assert recorded.told("loss") == plain.told("loss")
    assert torch.equal(torch.get_rng_state(), state)
    assert attached() is None
    assert torch.nn.Module.__call__ is torch.nn.Module._wrapped_call_impl

    (run,) = traindx.load(tmp_path / "runs")
    # This model's loss is not divided by the number of batches: the trainer adds up, we take the mean.
    losses = [reported / accumulation for reported in recorded.told("loss")]
    assert run[TRAIN_LOSS].values.tolist() == pytest.approx(losses, rel=1e-6)
    assert run.facts.get(traindx.facts.ACCUMULATION, 1) == accumulation
    assert run[LEARNING_RATE].values.tolist() == recorded.told("learning_rate")
    whole = next(series for series in run.all(GRADIENT_NORM) if not series.layer)
    assert whole.values.tolist() == pytest.approx(recorded.told("grad_norm"), rel=1e-6)
    assert run[VAL_LOSS].steps.tolist() == [4, 8, 12]
    assert run[VAL_LOSS].values.tolist() == recorded.told("eval_loss")
    assert run[VAL_ACCURACY].values.tolist() == recorded.told("eval_accuracy")
    assert "classifier.weight" in {layer.name for layer in run.model}
    assert all(layer.optimized for layer in run.model)
    facts = traindx.facts
    assert run.facts[facts.FRAMEWORK] == "transformers"
    assert run.facts[facts.PLANNED_STEPS] == STEPS
    assert run.facts[facts.SCHEDULE] == "linear"
    assert run.facts[facts.OPTIMIZER] == "AdamW"
    assert not [event for event in run.events if event.kind is EventKind.STEPPED_ASIDE]


def test_it_says_once_where_the_recording_is(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from traindx.transformers import Callback

    with caplog.at_level(logging.INFO, "traindx"):
        Train(tmp_path, [Callback(out=tmp_path / "runs", name="mine")])

    (line,) = [record.getMessage() for record in caplog.records if record.name == "traindx"]
    assert line.endswith("mine")
    assert "; next: traindx diagnose" in line


def test_inside_a_recording_it_joins(tmp_path: Path) -> None:
    from traindx.recorder.attach import Settings, begin
    from traindx.transformers import Callback

    with begin(Settings(out=tmp_path, name="outer")):
        Train(tmp_path, [Callback(out=tmp_path / "inner")])

    assert not (tmp_path / "inner").exists()
    assert len(traindx.load(tmp_path / "outer")[0][TRAIN_LOSS]) == STEPS
