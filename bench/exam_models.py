"""How often the exams of a model warn of healthy ones: the architectures of `transformers`, made small.

    python bench/exam_models.py                 all of them, one line each, and the shares
    python bench/exam_models.py --only bert     some, by a part of their name, with what was said

A model is healthy here if nobody broke it: drawn by its library, untrained, one batch of noise. What cannot
be made small by the usual names of sizes, or does not run with ordinary inputs, is left out and counted.
"""

import argparse
import contextlib
import signal
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import torch
import transformers
from torch import Tensor, nn
from transformers.models.auto import modeling_auto

from traindx import exams
from traindx.exams.questions import worst_mark
from traindx.finding import Finding

_SIZES = {
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "embed_dim", "dim", "hidden_dim"), 64),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers"), 4),
    **dict.fromkeys(("decoder_layers", "num_decoder_layers"), 4),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads"), 4),
    **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 4),
    "num_key_value_heads": 2,
    "head_dim": 16,
    **dict.fromkeys(("intermediate_size", "d_ff", "ffn_dim", "n_inner", "encoder_ffn_dim"), 128),
    **dict.fromkeys(("decoder_ffn_dim", "moe_intermediate_size"), 128),
    "vocab_size": 200,
    "max_position_embeddings": 64,
    "image_size": 32,
    "patch_size": 8,
    "num_experts": 4,
    "num_local_experts": 4,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "num_labels": 4,
    "pad_token_id": 0,
}
_SECONDS = 60
_LARGEST = 20_000_000


@dataclass(frozen=True)
class Case:
    """A small model and a batch for it."""

    name: str
    model: nn.Module
    batch: dict[str, Tensor]


def cases(part: str) -> Iterator[Case | str]:
    """Every model that can be made; the name of those that cannot."""
    kinds = {
        "text": modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING,
        "class": modeling_auto.MODEL_FOR_SEQUENCE_CLASSIFICATION_MAPPING,
        "image": modeling_auto.MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING,
    }
    for kind, mapping in kinds.items():
        for config, model in sorted(_pairs(mapping), key=lambda pair: pair[1].__name__):
            if part not in model.__name__.lower():
                continue
            try:
                yield _case(kind, config, model)
            except Exception:
                yield model.__name__


def _pairs(mapping: object) -> Iterator[tuple[type, type]]:
    for config in mapping:  # type: ignore[attr-defined]
        with contextlib.suppress(Exception):
            model = mapping[config]  # type: ignore[index]
            yield config, model[0] if isinstance(model, tuple) else model


def _case(kind: str, config_type: type, model_type: type) -> Case:
    torch.manual_seed(0)
    config = config_type()
    for name, size in _SIZES.items():
        if name == "pad_token_id" or getattr(config, name, None) is not None:
            with contextlib.suppress(Exception):
                setattr(config, name, size)
    for name in ("eos_token_id", "bos_token_id", "sep_token_id", "decoder_start_token_id"):
        with contextlib.suppress(Exception):
            setattr(config, name, 1)
    with torch.device("meta"):
        size = sum(parameter.numel() for parameter in model_type(config).parameters())
    if size > _LARGEST:
        raise ValueError("it is large all the same")
    model = model_type(config)
    ids = torch.randint(2, 200, (16, 12))
    batch = {
        "text": {"input_ids": ids, "labels": ids},
        "class": {"input_ids": ids, "labels": torch.randint(0, 4, (16,))},
        "image": {"pixel_values": torch.randn(16, 3, 32, 32), "labels": torch.randint(0, 4, (16,))},
    }[kind]
    with torch.no_grad():
        if not torch.isfinite(model(**batch).loss):
            raise ValueError("it does not compute a loss")
    return Case(model_type.__name__, model, batch)


def problems(case: Case) -> list[Finding]:
    """What three exams say of a model."""
    return [
        *exams.gradients(case.model, case.batch).problems,
        *exams.activations(case.model, case.batch).problems,
        *exams.model(case.model, case.batch).problems,
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--only", default="", help="a part of the names")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    counter: Counter[str] = Counter()
    signal.signal(signal.SIGALRM, _too_long)
    for case in cases(arguments.only.lower()):
        if isinstance(case, str):
            counter["cannot be made small"] += 1
            continue
        signal.alarm(_SECONDS)
        try:
            findings = problems(case)
        except Exception as error:
            counter["exam failed"] += 1
            print(f"{case.name}: the exam failed: {type(error).__name__}: {str(error)[:200]}", flush=True)
            continue
        finally:
            signal.alarm(0)
        counter[worst_mark(findings).value] += 1
        says = "; ".join(
            dict.fromkeys(f"{finding.cause} ({finding.degree.value}): {finding.says}" for finding in findings)
        )
        print(f"{case.name}: {worst_mark(findings).value} {says}", flush=True)
    print(", ".join(f"{number} {word}" for word, number in counter.most_common()))


def _too_long(*_: object) -> None:
    raise TimeoutError("it takes longer than a minute")


if __name__ == "__main__":
    main()
