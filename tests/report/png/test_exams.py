"""Pictures of exams: readable with hundreds of layers, and with everything that can be odd about one."""

import io
import struct
from itertools import pairwise

import pytest
import torch
from matplotlib.figure import Figure
from torch import nn
from torch.nn import functional

from tests.exams import faults
from traindx import exams
from traindx.report.png import layers as flow
from traindx.report.png import layers as outputs
from traindx.report.png.layers import layers_on


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


@pytest.mark.parametrize("layers", [1, 2, 5, 28, 29, 56, 57, 200, 1003])
def test_names_below_the_axis_do_not_lie_on_each_other(layers: int) -> None:
    figure = Figure(figsize=(10, 5), dpi=120, layout="constrained")
    axes = figure.subplots()
    names = [f"encoder.layers.{number}.self_attention.out_proj.weight" for number in range(layers)]
    layers_on(axes, names, "layers")
    figure.savefig(io.BytesIO(), format="png")
    labels = axes.get_xticklabels()
    places = axes.get_xticks().tolist()
    assert places[0] == 0
    assert places[-1] == layers - 1
    assert len(places) <= 29
    # Slanted names are as far apart as their feet: a line of 8 points needs 13 pixels at 40 degrees.
    feet = [float(axes.transData.transform((index, 0))[0]) for index in places]
    assert all(after - before > 13 / 0.643 for before, after in pairwise(feet))
    assert all(label.get_text() for label in labels)


def deep(layers: int) -> nn.Sequential:
    parts = [part for _ in range(layers) for part in (nn.Linear(8, 8), nn.LayerNorm(8), nn.ReLU())]
    return nn.Sequential(*parts, nn.Linear(8, 3))


def test_two_hundred_layers_are_drawn_on_one_sheet() -> None:
    torch.manual_seed(0)
    model, batch = deep(100), (torch.randn(64, 8), torch.randint(0, 3, (64,)))
    name, png = flow.gradient_flow(exams.gradients(model, batch, functional.cross_entropy))
    assert name == "gradient_flow.png"
    assert size(png)[0] == 1200
    name, png = outputs.layer_outputs(exams.activations(model, batch))
    assert name == "layer_outputs.png"
    assert size(png)[0] == 1200


@pytest.mark.parametrize(
    "name", ["forgotten branch", "nan weight", "all frozen", "loss of decisions", "rounded"]
)
def test_gradients_that_have_no_size_leave_a_picture_all_the_same(name: str) -> None:
    case = faults.broken(faults.GRADIENTS, name)
    assert size(flow.gradient_flow(exams.gradients(case.model, case.batch, case.loss))[1])[0] == 1200


@pytest.mark.parametrize("name", ["nan weight", "functional relu", "overflow", "gru of unscaled inputs"])
def test_outputs_that_have_no_size_leave_a_picture_all_the_same(name: str) -> None:
    case = faults.broken(faults.ACTIVATIONS, name)
    assert size(outputs.layer_outputs(exams.activations(case.model, case.batch))[1])[0] == 1200


def test_a_name_with_a_dollar_is_no_formula() -> None:
    model = nn.Sequential()
    model.add_module("a$b_{x$", nn.Linear(4, 3))
    exam = exams.gradients(model, (torch.randn(8, 4), torch.randint(0, 3, (8,))))
    assert size(flow.gradient_flow(exam)[1])[0] == 1200
