"""Exams call faults by their name, and sound models sound: none of the limits was set on these."""

import warnings

import pytest

from tests.exams import faults, zoo
from traindx import exams

pytestmark = pytest.mark.filterwarnings("ignore:Using a target size")


@pytest.mark.parametrize("name", faults.GRADIENTS)
def test_a_fault_shows_in_the_gradients(name: str) -> None:
    case = faults.broken(faults.GRADIENTS, name)
    exam = exams.gradients(case.model, case.batch, case.loss)
    assert faults.GRADIENTS[name][0] in [problem.cause for problem in exam.problems]


@pytest.mark.parametrize("name", faults.ACTIVATIONS)
def test_a_fault_shows_in_the_activations(name: str) -> None:
    case = faults.broken(faults.ACTIVATIONS, name)
    exam = exams.activations(case.model, case.batch)
    assert faults.ACTIVATIONS[name][0] == exam.problems[0].cause


@pytest.mark.parametrize("name", faults.MODELS)
def test_a_fault_shows_in_the_design(name: str) -> None:
    case = faults.broken(faults.MODELS, name)
    exam = exams.model(case.model, case.batch, case.loss)
    assert faults.MODELS[name][0] == exam.problems[0].cause


@pytest.mark.parametrize("name", zoo.ALL)
def test_a_sound_model_is_called_sound(name: str) -> None:
    case = zoo.made(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert exams.gradients(case.model, case.batch, case.loss).problems == ()
        assert exams.activations(case.model, case.batch).problems == ()
        assert exams.model(case.model, case.batch, case.loss, samples=20_000).problems == ()
        assert exams.model(case.model).problems == ()


@pytest.mark.parametrize("name", ["mlp", "cnn", "lstm", "transformer", "unet", "gru"])
def test_a_model_that_has_learned_is_called_sound(name: str) -> None:
    case = zoo.trained(name)
    assert exams.gradients(case.model, case.batch, case.loss).problems == ()
    assert exams.activations(case.model, case.batch).problems == ()
    assert exams.model(case.model, case.batch, case.loss, is_trained=True).problems == ()
