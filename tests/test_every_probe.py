"""What all probes share is asserted here once."""

import pkgutil
from importlib import import_module

import pytest

from traindx.recorder import probes
from traindx.recorder.probes.types import Probe
from traindx.testing.probe import check_probe

NAMES = sorted(module.name for module in pkgutil.iter_modules(probes.__path__) if module.name != "types")


@pytest.mark.parametrize("name", NAMES)
def test_the_probe_conforms(name: str) -> None:
    make = import_module(f"traindx.recorder.probes.{name}").PROBE
    assert issubclass(make, Probe)
    check_probe(make)
