"""Tracebacks show the program's own frames and none of ours."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.calling import traindx
from tests.recorder.launch.stand_in import StandIn

CHAINED = """
import torch

def inner():
    torch.backward(None)

def outer():
    try:
        inner()
    except ValueError as error:
        raise RuntimeError("from it") from error

try:
    outer()
except RuntimeError:
    torch.backward(None)
"""
GROUPED = """
import torch
errors = []
for _ in range(2):
    try:
        torch.backward(None)
    except ValueError as error:
        errors.append(error)
raise ExceptionGroup("both", errors)
"""
THREADED = """
import threading, torch
thread = threading.Thread(target=torch.backward, args=[None], name="worker")
thread.start()
thread.join()
"""
OWN_HOOK = """
import sys
print("hooked")
def hook(kind, error, trace):
    print("own hook", kind.__name__, error)
sys.excepthook = hook
import torch
torch.backward(None)
"""
OWN_HOOK_LATER = "import torch\n" + OWN_HOOK
STUBBORN = """
import torch
class Stubborn(Exception):
    def __setattr__(self, name, value):
        raise TypeError("no")
    @property
    def __cause__(self):
        raise TypeError("no")
raise Stubborn("as it is")
"""
EXITS = "import sys, torch\nsys.exit('a last word')\n"


@pytest.mark.parametrize(
    "script", [CHAINED, GROUPED, THREADED, OWN_HOOK, OWN_HOOK_LATER, STUBBORN, EXITS, "import torch\n1 / 0"]
)
def test_a_program_that_fails_says_what_it_says_alone(place: StandIn, script: str) -> None:
    name = place.write("fails.py", script)
    alone = place.alone([sys.executable, name])
    recorded = place.run("--", sys.executable, name)
    assert recorded.returncode == alone.returncode
    assert recorded.stdout == alone.stdout
    said = recorded.stderr.removeprefix(alone.stderr)
    assert said != recorded.stderr or not alone.stderr
    # Only our own screen follows.
    assert said.startswith(("\nCRASHED", "\nNOTHING RECORDED"))


REAL = """
import sys, torch
torch.set_num_threads(1)
model = torch.nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = torch.nn.functional.cross_entropy(model(torch.ones(4, 2)), torch.zeros(4, dtype=torch.long))
loss.backward()
def fails():
    raise KeyError("in a closure")
def main():
    if sys.argv[1] == "backward":
        loss.backward()
    elif sys.argv[1] == "closure":
        optimizer.step(fails)
    elif sys.argv[1] == "loss":
        torch.nn.functional.cross_entropy(torch.ones(4, 2), torch.zeros(3, dtype=torch.long))
main()
"""


@pytest.mark.skipif(find_spec("torch") is None, reason="torch is not installed")
@pytest.mark.parametrize(
    "where",
    [
        "backward",
        pytest.param("closure", marks=pytest.mark.slow),
        pytest.param("loss", marks=pytest.mark.slow),
    ],
)
def test_the_functions_of_torch_that_are_wrapped_do_not_show(tmp_path: Path, where: str) -> None:
    script = tmp_path / "fails.py"
    script.write_text(REAL)
    command = [sys.executable, str(script), where]
    alone = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    recorded = traindx("run", "--", *command, cwd=tmp_path)
    assert recorded.returncode == alone.returncode == 1
    assert recorded.stderr.startswith(alone.stderr)
    assert "Error" in alone.stderr
