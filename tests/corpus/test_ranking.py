"""The ranking of the bench is the product's, and the fit keeps what the causes say."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("torch")

import torch

from corpus.fit import fit, sample, temperature
from corpus.folds import splits
from corpus.points import PACKAGE, Tables, starting, write_numbers, write_package, write_starting
from corpus.ranker import Points, Ranker, asked
from corpus.table import NO, NOT_RECORDED, TOO_LITTLE, Row, coded, decoded, read, strength, write
from traindx.diagnosis import knowledge
from traindx.diagnosis.calibration import HEALTH_BY_SEVERITY
from traindx.diagnosis.score import score
from traindx.diagnosis.types import SignResult
from traindx.finding import CannotTell, Finding

SIGNS = [sign.slug for sign in knowledge.signs()]
CAUSES = ["lr-too-high", "overfitting", "dead-relu", "unnormalized-inputs", "gradients-not-cleared"]


def _codes(dice: Random) -> str:
    return "".join(dice.choice([NO] * 6 + [TOO_LITTLE, NOT_RECORDED, "5", "f", "z"]) for _ in SIGNS)


def _rows(count: int = 60) -> list[Row]:
    dice = Random(3)
    return [
        Row(
            id=f"{number}",
            task=dice.choice("abcdef"),
            family=dice.choice("uvwxyz"),
            optimizer="sgd",
            cause="",
            severity=0.5,
            harm=1.5,
            label=dice.choice(["healthy", *CAUSES]),
            full=_codes(dice),
            log=_codes(dice),
            peers="",
        )
        for number in range(count)
    ]


def test_the_bench_believes_what_the_product_believes() -> None:
    ranker, rows = Ranker(SIGNS), _rows()
    shares = ranker.beliefs(ranker.declared, asked([row.full for row in rows])).exp()
    for row, estimate in zip(rows, shares, strict=True):
        answers = decoded(row.full, SIGNS)
        scores = score([SignResult(sign, answers[sign.slug]) for sign in knowledge.signs()], ranker.causes)
        expected = [scores.shares.get(name, 0.0) for name in ranker.names]
        assert estimate.tolist() == pytest.approx(expected, abs=1e-9)


def test_answers_survive_being_written_down(tmp_path: Path) -> None:
    rows = _rows(5)
    write(rows, tmp_path / "answers.csv")
    assert read(tmp_path / "answers.csv") == (SIGNS, rows)
    again = decoded(rows[0].full, SIGNS)
    assert "".join(coded(again[slug]) for slug in SIGNS) == rows[0].full


def test_an_answer_is_one_character() -> None:
    evidence = next(
        answer for answer in decoded("z" * len(SIGNS), SIGNS).values() if isinstance(answer, Finding)
    ).evidence
    assert [coded(None), coded(CannotTell.TOO_LITTLE), coded(CannotTell.NOT_RECORDED)] == list(".-_")
    for value in (0.01, 0.3, 0.5, 1.0):
        assert strength(coded(Finding(value, "so", evidence))) == pytest.approx(value, abs=0.02)


def test_a_clue_for_stays_for_and_what_counted_nothing_counts_nothing() -> None:
    ranker, rows = Ranker(SIGNS), _rows()
    points = fit(ranker, sample(ranker, rows), close=0.0001, steps=30)
    _same_direction(points, ranker.starting)
    assert not torch.allclose(points.seen, ranker.starting.seen, atol=0.1)


def test_points_that_are_held_tight_stay_where_they_started() -> None:
    ranker, rows = Ranker(SIGNS), _rows()
    points = fit(ranker, sample(ranker, rows), close=100.0, steps=30)
    assert torch.allclose(points.seen, ranker.starting.seen, atol=0.1)


def test_fitting_makes_the_right_hypothesis_likelier() -> None:
    ranker, rows = Ranker(SIGNS), _rows()
    runs = sample(ranker, rows)

    def likelihood(points: object) -> float:
        probabilities = ranker.beliefs(points, runs.answers).gather(1, runs.labels[:, None])  # type: ignore[arg-type]
        return float(probabilities[torch.isfinite(probabilities)].mean())

    assert likelihood(fit(ranker, runs, steps=40)) > likelihood(ranker.starting) + 0.1


def test_no_run_is_scored_by_points_that_have_seen_its_task_or_family() -> None:
    rows = _rows(200)
    scored = []
    for fitted, tested in splits(rows):
        assert not {rows[n].family for n in fitted} & {rows[n].family for n in tested}
        assert not {rows[n].task for n in fitted} & {rows[n].task for n in tested}
        scored += tested
    assert sorted(scored) == list(range(200))


def test_shares_that_are_too_sure_are_made_less_so() -> None:
    # Two hypotheses at 0.99 and 0.01; the first is true in three of four.
    shares = torch.tensor([[0.99, 0.01]] * 400, dtype=torch.float64).log()
    labels = torch.tensor([0, 0, 0, 1] * 100)
    divided = shares / temperature(shares, labels)
    assert float(torch.softmax(divided, 1)[0, 0]) == pytest.approx(0.8, abs=0.05)


def _same_direction(points: Points, before: Points) -> None:
    assert torch.equal(points.seen.sign(), before.seen.sign())
    assert torch.equal(points.unseen.sign(), before.unseen.sign())
    assert torch.equal(points.unhealthy.sign(), before.unhealthy.sign())
    # What an author let speak about health may come to say nothing, as its severity does.
    assert bool((points.health * before.health >= 0).all())


def test_what_stands_in_the_package_has_the_direction_that_authors_gave_it() -> None:
    ranker = Ranker(SIGNS)
    _same_direction(ranker.declared, ranker.starting)


def test_a_sign_near_its_severity_counts_by_it_and_others_by_their_own_points() -> None:
    ranker, rows = Ranker(SIGNS), _rows()
    points = fit(ranker, sample(ranker, rows), steps=30)
    apart = (points.health - points.by_severity[ranker.severities]).abs()
    assert bool((apart == 0).any())
    own = ranker.tables(points).health
    assert {slug for slug, value in own.items() if value is None} == {
        slug for slug, distance in zip(SIGNS, apart.tolist(), strict=True) if distance == 0
    }


def _package(folder: Path) -> Path:
    for name in ("causes/dead_relu.py", "signs/loss.py", "diagnosis/calibration.py"):
        (folder / name).parent.mkdir()
        (folder / name).write_text((PACKAGE / name).read_text(encoding="utf-8"), encoding="utf-8")
    return folder


def test_files_take_new_points_and_nothing_else_changes(tmp_path: Path) -> None:
    package, ranker = _package(tmp_path), Ranker(SIGNS)
    cause, signs = package / "causes" / "dead_relu.py", package / "signs" / "loss.py"
    texts = cause.read_text(encoding="utf-8"), signs.read_text(encoding="utf-8")
    tables = ranker.tables(ranker.declared)
    write_package(tables, package)
    assert (cause.read_text(encoding="utf-8"), signs.read_text(encoding="utf-8")) == texts
    prior, falls = tables.priors["dead-relu"], tables.health["loss_falls"]
    priors, health = {**tables.priors, "dead-relu": -1.234}, {**tables.health, "loss_falls": None}
    write_package(replace(tables, priors=priors, health=health), package)
    assert cause.read_text(encoding="utf-8") == texts[0].replace(f"prior={prior:+.2f}", "prior=-1.23")
    assert signs.read_text(encoding="utf-8") == texts[1].replace(f", healthy={falls:+.2f}", "")
    write_package(tables, package)
    assert (cause.read_text(encoding="utf-8"), signs.read_text(encoding="utf-8")) == texts


def test_what_is_not_listed_starts_from_what_its_file_says(tmp_path: Path) -> None:
    path = tmp_path / "starting_points.json"
    listed = Tables({"a": -4.0}, {"a": {"x": (2.0, -1.0)}}, HEALTH_BY_SEVERITY, {"x": None}, {"x": -1.0})
    write_starting(listed, path)
    now = Tables(
        {"a": -3.0, "b": -5.0},
        {"a": {"x": (1.5, -0.5), "y": (0.5, 0.0)}, "b": {"y": (1.0, 0.0)}},
        HEALTH_BY_SEVERITY,
        {"x": -1.0, "y": 0.5},
        {"x": -0.5, "y": -2.0},
    )
    assert starting(now, path) == Tables(
        {"a": -4.0, "b": -5.0},
        {"a": {"x": (2.0, -1.0), "y": (0.5, 0.0)}, "b": {"y": (1.0, 0.0)}},
        HEALTH_BY_SEVERITY,
        {"x": None, "y": 0.5},
        {"x": -1.0, "y": -2.0},
    )


def test_a_number_is_replaced_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "calibration.py"
    file.write_text("LOG_TEMPERATURE = 1.28\nTABLE = {\n    Severity.INFO: -0.10,\n}\n", encoding="utf-8")
    write_numbers({"LOG_TEMPERATURE": 1.5, "Severity.INFO": -0.0}, file)
    expected = "LOG_TEMPERATURE = 1.50\nTABLE = {\n    Severity.INFO: 0.00,\n}\n"
    assert file.read_text(encoding="utf-8") == expected
    with pytest.raises(ValueError, match="OTHER stands there 0 times"):
        write_numbers({"OTHER": 1.0}, file)
