"""How people name things, checked name by name."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from traindx import quantities as q
from traindx.facts import FACTS
from traindx.quantities import QUANTITIES
from traindx.readers.names.vocabulary import Meaning, axis_of, bare_split_of, fact_of, meaning, split_of
from traindx.readers.names.word_lists import FACTS_BY_NAME, POSITIONS
from traindx.run import Axis, Split

NAMES = Path(__file__).parents[2] / "data" / "vocabulary" / "names.txt"


def _table() -> list[tuple[str, str]]:
    lines = NAMES.read_text(encoding="utf-8").splitlines()
    rows = (line.partition(" => ") for line in lines if " => " in line and not line.startswith("#"))
    return [(name, expected) for name, _, expected in rows]


def _told(parsed: Meaning | None) -> str:
    """A meaning as the table spells it."""
    if parsed is None:
        return "-"
    words = (
        parsed.quantity.slug + ("?" if parsed.split_assumed else ""),
        parsed.part,
        parsed.grain and f"per-{parsed.grain}",
        parsed.layer and f"@{parsed.layer}",
    )
    return " ".join(word for word in words if word)


def test_the_table_is_large_and_says_nothing_twice() -> None:
    names = [name for name, _ in _table()]
    assert len(names) > 800
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("name", "expected"), _table())
def test_meaning(name: str, expected: str) -> None:
    assert _told(meaning(name)) == expected


@pytest.mark.parametrize(
    ("name", "place", "expected"),
    [
        ("loss", Split.VALIDATION, Meaning(q.VAL_LOSS)),
        ("loss", Split.TEST, Meaning(q.TEST_LOSS)),
        ("loss", Split.TRAIN, Meaning(q.TRAIN_LOSS)),
        ("Acc@1", Split.VALIDATION, Meaning(q.VAL_ACCURACY)),
        ("train_loss", Split.VALIDATION, Meaning(q.TRAIN_LOSS)),
        ("test_acc", Split.VALIDATION, Meaning(q.TEST_ACCURACY)),
        ("mAP50", Split.VALIDATION, Meaning(q.VAL_SCORE, part="map50")),
        ("l2", Split.TRAIN, Meaning(q.TRAIN_ERROR, part="l2")),
        ("epoch_loss", Split.VALIDATION, Meaning(q.VAL_LOSS, grain="epoch")),
        ("lr", Split.VALIDATION, Meaning(q.LEARNING_RATE)),
        ("memory", Split.VALIDATION, Meaning(q.MEMORY)),
        ("time", Split.VALIDATION, Meaning(q.STEP_TIME, part="val")),
        ("data_time", Split.TEST, Meaning(q.DATA_TIME, part="test")),
        ("wps", Split.VALIDATION, Meaning(q.THROUGHPUT, part="val_words")),
        ("mean_reward", Split.VALIDATION, Meaning(q.REWARD, part="val")),
        ("time", Split.TRAIN, Meaning(q.STEP_TIME)),
    ],
)
def test_the_place_tells_the_split_where_the_name_does_not(
    name: str, place: Split, expected: Meaning
) -> None:
    assert meaning(name, place) == expected


@pytest.mark.parametrize(
    "names",
    [
        ("loss", "nll_loss", "ppl", "loss_scale"),
        (
            "train_loss",
            "train_loss_ce",
            "train_loss_ce_0",
            "train_loss_ce_unscaled",
            "train_loss_ce_0_unscaled",
        ),
        ("metrics/mAP50(B)", "metrics/mAP50-95(B)", "metrics/mAP50(M)", "metrics/precision(B)"),
        ("bbox/AP", "bbox/AP50", "bbox/AP75", "bbox/APs", "bbox/AP-person", "segm/AP"),
        ("train_loss_step", "train_loss_epoch", "val_loss"),
        ("acc1", "acc5"),
        ("lr/pg0", "lr/pg1", "lr/pg2"),
        ("data_time", "rank_data_time", "time"),
        ("consumed samples", "consumed tokens", "iteration"),
        ("rewards/chosen", "rewards/rejected", "rewards/margins", "rewards/accuracies"),
        ("eval_g0_loss", "eval_g1_loss", "eval_g0_accuracy"),
        ("memory/max_active(GiB)", "memory/max_active(%)", "memory/max_reserved(GiB)"),
        ("train/loss", "train/value_loss", "train/policy_gradient_loss", "train/entropy_loss"),
    ],
)
def test_names_that_mean_different_things_get_different_meanings(names: tuple[str, ...]) -> None:
    parsed = [meaning(name) for name in names]
    assert None not in parsed
    assert len(set(parsed)) == len(names)


STEPS = """# step global_step _step steps iter iters iteration iterations it itr num_updates updates update
batch batches train_step trainer/global_step train/global_step global_iter n_iter Step Iteration time/batch
batch_idx training_iteration current_steps optimizer_step train/step round minibatch"""
EPOCHS = "E epoch epochs ep epoch_num Epoch train/epoch trainer/epoch time/epoch current_epoch epoch_idx"
SAMPLES = """frame frames timesteps total_timesteps total_env_steps time/total_timesteps total-env-interacts
TotalEnvInteracts num_env_steps num_env_steps_sampled_lifetime samples consumed_samples
consumed_train_samples tokens consumed_tokens tokens_seen examples_seen images num_input_tokens_seen
Progress/kimg time/sample time/token num_tokens"""
NO_POSITIONS = """step_time epoch_loss steps_per_second step_loss training_epochs num_epochs total_epochs
max_steps total_steps max_epochs steps_per_epoch eval_steps val/step epoch_time best_epoch stale_epochs
iteration_time loss batch_size time/iterations train/n_updates samples_per_second tokens_per_second episode"""


@pytest.mark.parametrize("name", STEPS.split())
def test_names_of_steps(name: str) -> None:
    assert axis_of(name) is Axis.STEP


@pytest.mark.parametrize("name", EPOCHS.split())
def test_names_of_epochs(name: str) -> None:
    assert axis_of(name) is Axis.EPOCH


@pytest.mark.parametrize("name", SAMPLES.split())
def test_names_of_samples(name: str) -> None:
    assert axis_of(name) is Axis.SAMPLE
    assert axis_of(name.replace("_", " ")) is Axis.SAMPLE


@pytest.mark.parametrize("name", NO_POSITIONS.split())
def test_names_that_are_no_position(name: str) -> None:
    assert axis_of(name) is None


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        (Split.TRAIN, "train training Train TRAIN trn tr fit learn loss_train Train: train_inner"),
        (
            Split.VALIDATION,
            "val valid validation Validation eval evaluation evaluate dev holdout heldout held-out",
        ),
        (Split.VALIDATION, "loss_val validation_0 eval_g0 validLoss val2017 validate valid_1"),
        (Split.TEST, "test testing tst Test: TestSet test_eval eval/test test2"),
        (None, "train_val latest retrain value interval tr8b contest device main default version_0 invalid"),
    ],
)
def test_split_of(expected: Split | None, words: str) -> None:
    for word in words.split():
        assert split_of(word) is expected, word


def test_an_evaluation_of_the_test_set_is_a_test() -> None:
    assert split_of("Evaluation of the test set") is Split.TEST
    assert split_of("train and validation") is None


FACTS_STATED = """
optimizer: optimizer optim opt optimizer.name optimizer._target_ optimizer.type OPTIMIZER
learning_rate: lr learning_rate base_lr max_lr initial_lr lr0 optimizer.lr args.lr training_args.learning_rate
learning_rate: SOLVER.BASE_LR lr.value config/lr --learning-rate learningRate optimizer.params.lr
min_learning_rate: min_lr final_lr lr_scheduler.eta_min
batch_size: batch_size per_device_train_batch_size train_batch_size micro_batch_size data.batch_size
batch_size: batchSize batch train_dataloader.batch_size data.samples_per_gpu
global_batch_size: global_batch_size total_batch_size SOLVER.IMS_PER_BATCH
accumulation: gradient_accumulation_steps accumulate_grad_batches grad_accum update_freq accum_iter
weight_decay: weight_decay wd l2 optim.weight_decay
momentum: momentum beta1 adam_beta1 optimizer.betas.0
beta2: beta2 adam_beta2 beta_2 optimizer.betas.1
gradient_clip: grad_clip max_grad_norm clip_grad gradient_clip_val clip_norm optim.grad_clip.max_norm
schedule: lr_scheduler_type scheduler schedule lr_policy sched lr_scheduler.name
warmup_steps: warmup_steps warmup_iters num_warmup_steps lr_warmup_iters
warmup_ratio: warmup_ratio warmup_fraction
planned_steps: max_steps max_iters num_iterations total_steps train_iters SOLVER.MAX_ITER training.steps
planned_epochs: epochs num_train_epochs max_epochs num_epochs n_epochs trainer.max_epochs runner.max_epochs
dropout: dropout p_dropout hidden_dropout_prob model.dropout drop_rate
label_smoothing: label_smoothing label_smoothing_factor
precision: precision dtype fp16 bf16 amp mixed_precision trainer.precision fp16.enabled
seed: seed random_seed manual_seed seed_everything
model: model arch model_name architecture model_type model_name_or_path model.name _name_or_path
parameters: n_parameters num_params n_params trainable_params
dataset: dataset data dataset_name dataset.name
classes: num_classes n_classes nc num_labels MODEL.ROI_HEADS.NUM_CLASSES
sequence_length: block_size seq_len max_seq_length sequence_length context_length cutoff_len
workers: num_workers workers dataloader_num_workers DATALOADER.NUM_WORKERS
ranks: world_size ngpus devices n_gpu
loss_function: loss criterion loss_fn loss.name loss_function
steps_per_epoch: steps_per_epoch iters_per_epoch
log_interval: log_interval logging_steps log_every_n_steps print_freq
shuffle: shuffle train_dataloader.shuffle
training_samples: num_train_samples train_size
activation: activation hidden_act
layers: num_layers n_layer num_hidden_layers
"""
NO_FACTS = """val_batch_size eval_batch_size per_device_eval_batch_size val_dataloader.batch_size
val.batch_size lrf teacher.lr bn.momentum data_seed attention_dropout warmup_epochs save_steps eval_steps
run_name output_dir resume scheduler.gamma adam_epsilon lr_decay discriminator.lr test.num_workers
optimizer.name.first model.hidden.value name value momentum_decay ema.decay total_timesteps n_steps"""


@pytest.mark.parametrize("line", FACTS_STATED.strip().splitlines())
def test_fact_of(line: str) -> None:
    slug, _, names = line.partition(": ")
    for name in names.split():
        assert fact_of(name) is FACTS[slug], name


@pytest.mark.parametrize("name", NO_FACTS.split())
def test_settings_that_state_no_fact(name: str) -> None:
    assert fact_of(name) is None


def test_every_phrase_for_a_setting_or_a_position_is_found_by_its_own_words() -> None:
    for words, fact in FACTS_BY_NAME.items():
        assert fact_of(words.replace(" ", "_")) is fact, words
    for words, axis in POSITIONS.items():
        assert axis_of(words) is axis, words


_PIECES = st.sampled_from(
    [
        *"train val test eval loss acc top 1 5 0.5 2.0 grad norm lr mAP50-95 (B) best time s per ms".split(),
        *"epoch step loss/value vs iterations weight bias layers memory GiB <b> </b>".split(),
        *("/", "_", "-", ".", ":", "|", "(", ")", "@", "%", "'", " ", "\n", "\x00", "\u2028"),
        *("\u00e9", "\u0130", "\u00df", "\u00b2", "\u635f\u5931", "\U0001d7d9"),
    ]
)


@given(name=st.one_of(st.text(max_size=60), st.lists(_PIECES, max_size=12).map("".join)))
def test_no_name_is_too_odd(name: str) -> None:
    for split in (None, Split.VALIDATION):
        parsed = meaning(name, split)
        assert parsed is None or QUANTITIES[parsed.quantity.slug] is parsed.quantity
        assert parsed == meaning(name, split)
    assert axis_of(name) in (None, Axis.STEP, Axis.EPOCH, Axis.SAMPLE)
    assert split_of(name) in (None, *Split)
    assert fact_of(name) is None or fact_of(name) in FACTS.values()


def test_words_for_a_part_of_the_data_and_nothing_else() -> None:
    splits = {name: bare_split_of(name) for name in ("train", "Val.", "valid", "dev", "test", "learn")}
    assert list(splits.values()) == [Split.TRAIN, *[Split.VALIDATION] * 3, Split.TEST, Split.TRAIN]
    assert [bare_split_of(name) for name in ("val_loss", "loss", "train val", "evaluating", "", "3")] == [
        None
    ] * 6


def test_a_text_too_long_for_a_name_means_nothing() -> None:
    text = "train_loss_" * 10_000
    assert (meaning(text), axis_of(text), split_of(text), fact_of(text)) == (None, None, None, None)
    assert meaning("grad_norm/" + "layers." * 10_000) is None
