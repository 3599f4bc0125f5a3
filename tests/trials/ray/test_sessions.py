"""Treatments on real Ray: on this machine, and on two nodes of which one is lost after the other."""

import json
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("ray")

from tests.trials.ray.network import alone, why_not
from traindx import load
from traindx.quantities import TRAIN_LOSS

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why_not()), reason=why_not())]


def session(name: str, here: Path) -> "dict[str, dict[str, object]]":
    done = subprocess.run(
        alone("-m", "tests.trials.ray.sessions", name, str(here)), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    document: dict[str, dict[str, object]] = json.loads(done.stdout)
    return document


def told(result: "dict[str, object]") -> str:
    """What was written for a person, in one line."""
    return " ".join(f"{result['out']} {result['err']}".split())


def is_progress(err: object) -> bool:
    """Whether nothing but trial runs that ended was told."""
    return all(line.startswith("trial ") for line in str(err).splitlines())


def test_ray_comes_to_the_same_as_processes_and_leaves_nothing(tmp_path: Path) -> None:
    document = session("machine", tmp_path)
    processes, ray = document["processes"], document["ray"]
    assert ray["code"] == 0
    assert is_progress(ray["err"])
    assert ray["verdicts"] == processes["verdicts"] != []
    for arm in ("control", "arms/optimizer.lr_x_10000-seed0"):
        ours, theirs = (losses(tmp_path / engine, arm) for engine in ("processes", "ray"))
        assert len(ours) == 40
        assert ours == theirs
    # What the program writes is not here.
    assert ray["files"] == [".traindx", "err.txt", "notes.txt", "out.txt", "train.py"]
    assert document["behind"] == {"processes": [], "folders": []}


def losses(here: Path, arm: str) -> list[float]:
    recording = here / ".traindx" / "treatments" / "train-1" / arm / "rank-0.traindx"
    (run,) = load(recording)
    values: list[float] = run[TRAIN_LOSS].values.tolist()
    return values


def test_what_is_lost_of_a_cluster_is_run_again_or_told(tmp_path: Path) -> None:
    document = session("cluster", tmp_path)

    interrupted = document["interrupted"]
    assert interrupted["code"] == 130
    assert interrupted["err"] == "traindx treat: interrupted; finished runs are in .traindx/treatments\n"

    greedy = document["greedy"]
    assert greedy["code"] == 2
    assert "no free resources within" in told(greedy)
    assert "a trial run needs 64 CPUs; 2 of 2 CPUs are free" in told(greedy)

    lost = document["lost"]
    assert lost["code"] == 0
    assert "1 trial run repeated after a Ray worker was lost" in told(lost)
    assert "the Ray cluster was lost: results use only the trial runs that had finished" in told(lost)
    assert "helped, 2 of 2 seeds" in told(lost)
    assert lost["arms"] == [
        "control",
        "control-seed1",
        "optimizer.lr_x_10000-seed0",
        "optimizer.lr_x_10000-seed1",
    ]
    assert is_progress(lost["err"])

    nobody = document["nobody"]
    assert nobody["code"] == 2
    assert "no Ray cluster answers (Connection refused)" in told(nobody)

    assert "Traceback" not in json.dumps(document)
