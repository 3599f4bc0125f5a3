"""The type of one training to be run and logged: a row of the tables of cases."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from curves.data import Data
from curves.schedules import Schedule, constant

Batch = tuple[Tensor, Tensor]
Row = dict[str, float]


def untouched(_step: int, x: Tensor, y: Tensor) -> Batch:
    """The batch as it is."""
    return x, y


@dataclass(frozen=True)
class Recipe:
    """One training, from its data to the form of its log; a fault is an ordinary value of a field."""

    id: str
    data: Callable[[], Data]
    model: Callable[[], nn.Module]
    lr: float
    epochs: int
    optimizer: str = "adam"
    batch_size: int = 32
    """0 takes the whole training set at once."""
    loss: Callable[[Tensor, Tensor], Tensor] = cross_entropy
    schedule: Schedule = constant
    momentum: float = 0.0
    weight_decay: float = 0.0
    clip: float = 0.0
    """The limit of the gradient norm; 0 does not clip."""
    precision: str = "fp32"
    """fp32, fp16 and bf16 (autocast; fp16 with a loss scaler), or half: everything in float16, no scaler."""
    scale: float = 65536.0
    """The first loss scale of fp16."""
    batch: Callable[[int, Tensor, Tensor], Batch] = untouched
    """Changes a batch between the loader and the model, by step."""
    seed: int = 0
    shuffle: bool = True
    stop: int = 0
    """The step after which the run is killed; 0 lets it finish."""
    every: int = 1
    """Steps between two records; 0 records once per epoch, the mean of its batches."""
    mean: bool = False
    """Records the mean since the last record instead of the last batch."""
    hides_nan: bool = False
    """Leaves non-finite losses out of the mean, as the Hugging Face Trainer does."""
    kind: str = "supervised"
    """supervised, or bandit: the model learns from rewards."""
    validate: int = 1
    """Epochs between two validations; 0 never validates."""
    validate_steps: int = 0
    """Steps between two validations, where epochs are long."""
    eval_mode: bool = True
    eval_batch: int = 0
    columns: tuple[str, ...] = ()
    """What is recorded beside the loss: lr, grad_norm, layer_norms, acc, loss_scale, skipped_steps,
    data_time, step_time, memory."""
    form: str = "csv"
    hparams: bool = True
    facts: Mapping[str, str | float] = field(default_factory=dict)
    """Further settings that are written beside the log."""
