"""Which clusters are refused before anything is started."""

import math
import sys
from pathlib import Path

import pytest

from traindx.errors import TraindxError
from traindx.trials.ray.runner import Cluster, RayRunner
from traindx.trials.workspace import Workspace


@pytest.mark.parametrize(
    ("address", "cpus", "gpus", "says"),
    [
        ("somewhere", 1, 0.0, "expected HOST:PORT or auto"),
        ("host:", 1, 0.0, "expected HOST:PORT or auto"),
        ("ray://host:10001", 1, 0.0, "ray job submit"),
        (None, 0, 0.0, "at least 1 CPU"),
        (None, 1, -1.0, "a fraction of one"),
        (None, 1, 1.5, "a fraction of one"),
        (None, 1, math.nan, "a fraction of one"),
        ("host:65536", 1, 0.0, "expected HOST:PORT or auto"),
        (":6379", 1, 0.0, "expected HOST:PORT or auto"),
        (None, 100_000, 0.0, "this machine has"),
    ],
)
def test_a_cluster_that_cannot_be_is_refused(address: str | None, cpus: int, gpus: float, says: str) -> None:
    with pytest.raises(TraindxError, match=says):
        Cluster(address, cpus, gpus)


def test_without_ray_it_is_said_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(TraindxError, match=r"pip install 'ray>="):
        RayRunner(Cluster(), Workspace(tmp_path, copies=True), tmp_path, lambda says: None)
