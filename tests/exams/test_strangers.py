"""Architectures of another library, on which nothing here was developed: sound ones, and ones with faults."""

from collections.abc import Callable

import pytest
import torch
import transformers
from torch import Tensor, nn

from traindx import exams

Case = tuple[nn.Module, dict[str, Tensor]]


def tokens() -> Tensor:
    return torch.randint(0, 200, (24, 12))


def images(classes: int = 5) -> dict[str, Tensor]:
    return {"pixel_values": torch.randn(16, 3, 32, 32), "labels": torch.randint(0, classes, (16,))}


def bert() -> Case:
    config = transformers.BertConfig(
        vocab_size=200,
        hidden_size=48,
        num_hidden_layers=6,
        num_attention_heads=4,
        intermediate_size=96,
        num_labels=3,
    )
    model = transformers.BertForSequenceClassification(config)
    return model, {"input_ids": tokens(), "labels": torch.randint(0, 3, (24,))}


def llama() -> Case:
    config = transformers.LlamaConfig(
        vocab_size=200,
        hidden_size=48,
        intermediate_size=96,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
    )
    ids = tokens()
    return transformers.LlamaForCausalLM(config), {"input_ids": ids, "labels": ids}


def opt() -> Case:
    config = transformers.OPTConfig(
        vocab_size=200,
        hidden_size=48,
        num_hidden_layers=3,
        ffn_dim=96,
        num_attention_heads=4,
        word_embed_proj_dim=48,
    )
    ids = tokens()
    return transformers.OPTForCausalLM(config), {"input_ids": ids, "labels": ids}


def vit() -> Case:
    config = transformers.ViTConfig(
        image_size=32,
        patch_size=8,
        hidden_size=48,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=96,
        num_labels=5,
    )
    return transformers.ViTForImageClassification(config), images()


def resnet() -> Case:
    config = transformers.ResNetConfig(
        embedding_size=16, hidden_sizes=[16, 24, 32], depths=[2, 2, 2], layer_type="basic", num_labels=5
    )
    return transformers.ResNetForImageClassification(config), images()


def convnext() -> Case:
    config = transformers.ConvNextConfig(hidden_sizes=[16, 24, 32, 48], depths=[2, 2, 4, 2], num_labels=5)
    return transformers.ConvNextForImageClassification(config), images()


def mobilenet() -> Case:
    config = transformers.MobileNetV2Config(depth_multiplier=0.35, num_labels=5)
    return transformers.MobileNetV2ForImageClassification(config), images()


def swin() -> Case:
    config = transformers.SwinConfig(
        image_size=32,
        patch_size=2,
        embed_dim=16,
        depths=[2, 2],
        num_heads=[2, 4],
        window_size=4,
        num_labels=5,
    )
    return transformers.SwinForImageClassification(config), images()


SOUND = {model.__name__: model for model in (bert, llama, opt, vit, resnet, convnext, mobilenet, swin)}


def filled(case: Case, name: str, value: float, values: int | None = None) -> Case:
    """The first values of all parameters whose names hold a word, or all of them, set to one value."""
    parameters = [parameter for called, parameter in case[0].named_parameters() if name in called]
    assert parameters
    for parameter in parameters:
        parameter.data.view(-1)[:values] = value
    return case


def swapped(case: Case, kind: type[nn.Module], make: Callable[[], nn.Module], gain: float = 1.0) -> Case:
    """Every module of a class replaced, and all weights scaled."""
    for module in list(case[0].modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, kind):
                setattr(module, name, make())
    for module in case[0].modules():
        if isinstance(module, nn.Linear | nn.Conv2d):
            module.weight.data *= gain
    return case


def cut(case: Case) -> Case:
    layers = next(module for name, module in case[0].named_modules() if name.endswith("layernorm"))
    layers.register_forward_hook(lambda module, args, output: output.detach())
    return case


def with_hole(case: Case) -> Case:
    case[1]["pixel_values"].view(-1)[7] = float("nan")
    return case


def frozen(case: Case) -> Case:
    case[0].requires_grad_(False)
    return case


FAULTS: dict[str, tuple[str, str, Callable[[], Case]]] = {
    "nan in bert": (
        "gradients",
        "non-finite",
        lambda: filled(bert(), "layer.3.intermediate.dense.weight", torch.nan, 1),
    ),
    "equal weights in llama": ("gradients", "bad-initialization", lambda: filled(llama(), "weight", 0.02)),
    "vit cut off": ("gradients", "detached-graph", lambda: cut(vit())),
    "frozen swin": ("gradients", "frozen-parameters", lambda: frozen(swin())),
    "nan pixels": ("gradients", "non-finite-inputs", lambda: with_hole(vit())),
    "resnet without norms": (
        "gradients",
        "exploding-gradients",
        lambda: swapped(resnet(), nn.BatchNorm2d, nn.Identity, 8.0),
    ),
    "mobilenet of sigmoids": (
        "gradients",
        "vanishing-gradients",
        lambda: swapped(swapped(mobilenet(), nn.BatchNorm2d, nn.Identity), nn.ReLU6, nn.Sigmoid),
    ),
    "convnext of large weights": (
        "gradients",
        "bad-initialization",
        lambda: swapped(convnext(), nn.Bilinear, nn.Identity, 1000.0),
    ),
    "dead resnet": (
        "activations",
        "dead-relu",
        lambda: filled(resnet(), "0.layer.0.normalization.bias", -50.0),
    ),
    "dead opt": ("activations", "dead-relu", lambda: filled(opt(), "fc1.bias", -100.0)),
    "dead mobilenet": (
        "activations",
        "dead-relu",
        lambda: filled(mobilenet(), "layer.3.expand_1x1.normalization.bias", -60.0),
    ),
    "saturated pooler": (
        "activations",
        "saturated-activations",
        lambda: filled(bert(), "pooler.dense.bias", 9.0),
    ),
    "nan in swin": ("activations", "non-finite", lambda: filled(swin(), "blocks.1.", torch.nan, 1)),
    "nan pixels of convnext": ("activations", "non-finite-inputs", lambda: with_hole(convnext())),
    "growing resnet": (
        "activations",
        "exploding-gradients",
        lambda: swapped(resnet(), nn.BatchNorm2d, nn.Identity, 8.0),
    ),
    "resnet with dropout before its norms": (
        "model",
        "dropout-misuse",
        lambda: swapped(
            resnet(), nn.BatchNorm2d, lambda: nn.Sequential(nn.Dropout2d(0.2), nn.LazyBatchNorm2d())
        ),
    ),
    "tiny weights in convnext": (
        "model",
        "bad-initialization",
        lambda: swapped(convnext(), nn.Bilinear, nn.Identity, 1e-4),
    ),
    "equal weights in vit": ("model", "bad-initialization", lambda: filled(vit(), "weight", 0.01)),
    "vit cut off, by design": ("model", "detached-graph", lambda: cut(vit())),
}


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_stranger_is_called_sound(name: str) -> None:
    torch.manual_seed(0)
    model, batch = SOUND[name]()
    assert exams.gradients(model, batch).problems == ()
    assert exams.activations(model, batch).problems == ()
    assert exams.model(model, batch, samples=100_000).problems == ()


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_in_a_stranger_is_named(name: str) -> None:
    torch.manual_seed(3)
    exam, cause, make = FAULTS[name]
    model, batch = make()
    if any(nn.parameter.is_lazy(parameter) for parameter in model.parameters()):
        model(**batch)
    exam_result = getattr(exams, exam)(model, batch)
    assert cause in [problem.cause for problem in exam_result.problems]
