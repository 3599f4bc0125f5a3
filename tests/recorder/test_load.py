"""The load of the machine changes neither the verdict nor the first cause nor what is sampled."""

from pathlib import Path

import pytest

pytest.importorskip("torch")

from load import busy_processes, differing, judged

TESTS = Path(__file__).parents[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "program",
    ["scripts/digits_convnet", "scripts/leaf_scans", "scripts/neuron_decoder", "screens/digits_healthy"],
)
def test_a_busy_machine_gives_the_same_answer(program: str) -> None:
    path = TESTS / f"{program}.py"
    quiet = judged(path)
    with busy_processes(4):
        loaded = judged(path)
    assert loaded.answer == quiet.answer
    assert differing(quiet, loaded) == 0


def test_busy_processes_end() -> None:
    with busy_processes(2) as others:
        assert [process.poll() for process in others] == [None, None]
    assert None not in [process.poll() for process in others]
