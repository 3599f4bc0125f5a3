"""What all probes share is asserted here once."""

import pytest

from traindx.catalogue import modules
from traindx.recorder import probes
from traindx.recorder.probes.types import Probe, probes_of
from traindx.testing.probe import check_probe

PROBES = [probe for module in modules(probes) for probe in probes_of(module)]


def test_every_module_holds_a_probe() -> None:
    assert all(probes_of(module) for module in modules(probes))


@pytest.mark.parametrize("probe", PROBES, ids=[probe.__name__ for probe in PROBES])
def test_the_probe_conforms(probe: type[Probe]) -> None:
    check_probe(probe)
